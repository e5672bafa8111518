// SPDX-License-Identifier: Apache-2.0
// Makes Ctrl-C a request to stop rather than the end. The handler is a thread that reads
// signalfd(2): what it does need not be safe inside a signal handler.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <stop_token>
#include <thread>

#include "os/fd.h"

namespace protium {

// Turns the first SIGINT or SIGTERM into a request to stop; the second ends the process at once
// with exit code 130, without its temporary folders. Make it before any other thread is started,
// because threads inherit the blocked signals. The destructor restores the former state.
class StopOnSignal {
 public:
  static Result<std::unique_ptr<StopOnSignal>> Make();
  // For work whose loss is harmless: the first signal removes the temporary folders of this process
  // (os/temporary_folder.h) and then ends it as without a handler.
  static Result<std::unique_ptr<StopOnSignal>> MakeEnding();
  ~StopOnSignal();
  std::stop_token token() const { return stop_.get_token(); }
  // The signal that came first, 0 if none has.
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
