// SPDX-License-Identifier: Apache-2.0
// A worker's side of a bending gang (gang/membership.h). Two threads meet here, as in
// worker_task.h: the one that reads the channel calls Heard(), the task's makes all other calls.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "gang/membership.h"
#include "local/workers/protocol.h"

namespace protium {

// Collective: this rank's end of the ranks whose sockets `peers` are, by rank, the own one empty.
Result<std::unique_ptr<Communicator>> JoinRanks(int32_t rank, std::vector<UniqueFd> peers,
                                                std::chrono::milliseconds deadline);

// Of a task that the driver wants to end early.
Status AskedToStop();

struct WorkerMembershipSpec {
  std::shared_ptr<Link> link;
  int64_t task = 0;  // Its number, on every message.
  bool newcomer = false;
  std::chrono::milliseconds deadline{60'000};  // Of the communicators.
  std::chrono::milliseconds patience{60'000};  // How long the driver may take to call, beyond that.
  std::stop_token stop;
};

class WorkerMembership final : public GangMembership {
 public:
  explicit WorkerMembership(WorkerMembershipSpec spec) : spec_(std::move(spec)) {}

  // Generation 0, of a rank that was there from the start; joined by its caller.
  void Begin(std::shared_ptr<Communicator> ranks);
  // A message "call" or "parts".
  void Heard(Frame frame);
  // Makes the others' calls fail with `cause`.
  void Abort(const Status& cause);
  // Of the present generation; nullptr between two.
  Communicator* ranks();
  // The rank in the present generation; -1 in none.
  int32_t rank() const { return rank_; }

  bool newcomer() const override { return spec_.newcomer; }
  Result<std::vector<SharedPart>> Share(SharedPart own) override;
  bool changing() const override { return called_ > generation_; }
  Result<Communicator*> Enter(const Status& failed) override;
  void Settled(int64_t step) override;

 private:
  // The newest call, as it came.
  struct Called {
    int64_t generation = 0;
    int32_t rank = -1;
    std::vector<UniqueFd> peers;  // By rank; the own one empty.
  };
  static Result<Called> ReadCall(Frame frame);
  static Result<std::vector<SharedPart>> ReadParts(Frame frame);
  Json Head(const char* type) const;
  void Tell(const char* type, const Status& failed);
  Result<Called> AwaitCall();

  const WorkerMembershipSpec spec_;
  std::atomic<int64_t> generation_{0};  // Written by the task's thread.
  std::atomic<int64_t> called_{0};      // Written by the reading thread.
  std::atomic<int32_t> rank_{-1};
  bool announced_ = false;  // A newcomer has said that it waits.

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Communicator> ranks_;
  std::optional<Result<Called>> call_;  // Not followed yet.
  std::optional<Result<std::vector<SharedPart>>> parts_;
};

}  // namespace protium
