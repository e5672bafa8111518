// SPDX-License-Identifier: Apache-2.0
// How the ranks' programs stand, told to all ranks again and again: a program may run for hours,
// and no wait of a communicator's may. So every rank takes part in a gathering a few times a second
// until all programs have ended.
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
    Status status;                 // Not OK: a rank is gone, or does not answer.
    std::optional<int32_t> first;  // The rank whose program failed first.
    bool over = false;             // All programs have ended, or `status` is not OK.
  };

  // Uses `communicator` in a thread of its own until its end; both must outlive it. `wake` is an
  // eventfd that is written whenever the view changes.
  ProgramPeers(Communicator& communicator, int wake);
  // Waits for the running gathering.
  ~ProgramPeers();

  // This rank's program has ended. Once.
  void TellEnd(bool failed);
  View view() const;

 private:
  enum class State : char { kRuns = 'r', kEnded = 'e', kFailed = 'f' };
  void Gather(const std::stop_token& stop);
  // Whether there is more to come.
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
