// SPDX-License-Identifier: Apache-2.0
// Sends the state of each rank's program to all ranks again and again. A program may run for hours,
// and no wait of a communicator may take that long, so every rank takes part in a gathering a few
// times a second until all programs have ended.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "collective/communicator.h"
#include "os/fd.h"

namespace protium {

class ProgramPeers {
 public:
  struct View {
    Status status;                 // Not OK: a rank is gone, or does not respond.
    std::optional<int32_t> first;  // The rank whose program failed first.
    bool over = false;             // All programs have ended, or `status` is not OK.
  };

  // Uses `communicator` on its own thread until destroyed; both arguments must outlive it. `wake`
  // is an eventfd that is written whenever the view changes.
  ProgramPeers(Communicator& communicator, int wake);
  // Waits for the running gathering.
  ~ProgramPeers();

  // Reports that this rank's program has ended. Call once.
  void ReportEnd(bool failed);
  View view() const;

 private:
  enum class State : char { kRuns = 'r', kEnded = 'e', kFailed = 'f' };
  void Gather(const std::stop_token& stop);
  // Returns whether more rounds follow.
  bool Round();
  View ViewOf(const std::vector<std::string>& told) const;

  Communicator& communicator_;
  const int wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::kRuns;
  State told_ = State::kRuns;  // At the last gathering.
  int64_t at_ = 0;             // Nanoseconds since 1970, when it ended.
  View view_;
  std::jthread thread_;
};

}  // namespace protium
