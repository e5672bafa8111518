// SPDX-License-Identifier: Apache-2.0
// The pool's zygotes, one for each profile of workers that somebody has asked for, and the workers
// that wait ready-made.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "os/link.h"
#include "pool/profile.h"
#include "pool/warm.h"

namespace protium {

struct PoolHandover;

// A worker as it travels: its descriptors, while somebody holds them.
struct WaitingWorker {
  pid_t pid = -1;
  UniqueFd channel;
  UniqueFd process;  // Its pidfd.
  UniqueFd report;
};

struct TakenWorkers {
  std::vector<WaitingWorker> workers;
  std::string why;  // Why this profile gets none for good; empty: it may get some later.
};

struct ZygoteState {
  pid_t pid = -1;
  std::string program;
  bool torch = false;
  bool ready = false;
  int32_t warm = 0;
  std::string unfit;
};

// One thread.
class Zygotes {
 public:
  // Zygotes append what they print to `log`.
  explicit Zygotes(std::filesystem::path log) : log_(std::move(log)) {}

  // Returns up to `count` workers. A zygote that is not ready is started, and gives none now.
  // `had`: how many of this profile the driver has got before.
  TakenWorkers Take(const WorkerProfile& profile, int32_t count, int32_t had,
                    Clock::time_point now);
  // Forks workers ahead, at most `most` together, none while memory is short, and then ends those
  // that wait; ends zygotes that nobody asked for lately.
  void Look(int32_t most, bool short_of_memory, Clock::time_point now);
  // What they have sent; to be called when one of fds() can be read.
  void Hear();
  std::vector<int> fds() const;
  std::vector<ZygoteState> States() const;
  // The last library whose file was replaced under a zygote, which has ended for that; empty: none,
  // or workers wait that have loaded the new one.
  const std::string& replaced() const { return replaced_; }

  // What waits and is ready, for the next pool in this process (handover.h). Nothing is left here.
  Json HandOver(PoolHandover& handover);
  void TakeOver(const Json& state, PoolHandover& handover);

 private:
  struct Zygote {
    std::string key;
    WorkerProfile profile;
    pid_t pid = -1;
    UniqueFd process;
    std::unique_ptr<Link> link;
    bool ready = false;
    bool failed = false;
    std::string unfit;                                       // Why it gives no workers.
    std::vector<std::pair<std::string, std::string>> files;  // Loaded, with their identities.
    Clock::time_point checked{};                             // When they were looked at.
    Clock::time_point used{};
    WorkerDemand demand;
    std::deque<WaitingWorker> warm;
    int32_t awaited = 0;  // Asked for, and not here yet.

    bool Forks() const { return ready && !failed && unfit.empty(); }
  };

  static std::unique_ptr<Zygote> Make(const WorkerProfile& profile, pid_t pid, UniqueFd process,
                                      Channel channel);
  Result<std::unique_ptr<Zygote>> Start(const WorkerProfile& profile) const;
  Zygote* Find(const std::string& key);
  void Learn(Zygote& zygote, const Frame& frame);
  static void Fork(Zygote& zygote, int32_t count);
  static bool Store(Zygote& zygote, Frame& frame);
  bool IsStale(Zygote& zygote, Clock::time_point now);
  void End(const Zygote* zygote);
  void Reap();

  const std::filesystem::path log_;
  std::vector<std::unique_ptr<Zygote>> zygotes_;
  std::vector<UniqueFd> ending_;  // Those that may have workers left, until they end.
  std::string replaced_;
};

}  // namespace protium
