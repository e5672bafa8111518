// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request to stop instead of an end. The handler is a thread that reads signalfd(2):
// what it does need not be safe inside a signal handler.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <stop_token>
#include <thread>

#include "os/fd.h"

namespace protium {

// Turns the first SIGINT or SIGTERM into a request to stop; the second ends the process at once
// with exit code 130, without its temporary folders. Make it before any other thread is started:
// threads inherit which signals are blocked. The former state comes back at the end of its life.
class StopOnSignal {
 public:
  static Result<std::unique_ptr<StopOnSignal>> Make();
  // For work that nobody would miss: the first signal removes the temporary folders of this process
  // (os/temporary_folder.h) and then ends it as if nobody had watched.
  static Result<std::unique_ptr<StopOnSignal>> MakeEnding();
  ~StopOnSignal();
  std::stop_token token() const { return stop_.get_token(); }
  // The signal that came first, 0 for none yet.
  int signal() const { return signal_.load(); }

 private:
  explicit StopOnSignal(bool ends) : ends_(ends) {}
  static Result<std::unique_ptr<StopOnSignal>> Start(bool ends);
  void Watch();

  const bool ends_;

  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  sigset_t before_{};
  UniqueFd signals_;
  UniqueFd ending_;
  std::jthread thread_;
};

}  // namespace protium
