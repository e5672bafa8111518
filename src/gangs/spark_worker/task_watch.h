// SPDX-License-Identifier: Apache-2.0
// Watches, while a task runs, for reasons to end it early, on its own thread.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "os/fd.h"

namespace protium {

// What to watch.
struct WatchOptions {
  // If it appears, the driver wants the task to stop; empty: none.
  std::filesystem::path stop_file;
  // Its content changes as long as the driver lives; ignored if empty or missing.
  std::filesystem::path driver_file;
  // SIGTERM to this process.
  std::stop_token signals;
  // The executor's; if it ends, nobody waits for the task any more.
  int socket = -1;
  // Called at most once, from the watching thread; must only ask the task to stop.
  std::function<void()> on_stop;
  // How long a task may go on after its executor is gone; if 0, it is not even asked to stop.
  std::chrono::milliseconds gone_time{10'000};
  // How long the driver may give no sign; it gives one per second.
  std::chrono::milliseconds driver_time{15'000};
};

// Checks every 100 ms. If the executor is gone and the task has not ended `gone_time` after it was
// asked to, ends the process with exit code 1.
class TaskWatch {
 public:
  static Result<std::unique_ptr<TaskWatch>> Start(WatchOptions options);
  // Ends the watching; on_stop is not called after that.
  ~TaskWatch();

 private:
  static constexpr std::chrono::milliseconds kLookTime{100};

  TaskWatch(WatchOptions options, UniqueFd ending)
      : options_(std::move(options)), ending_(std::move(ending)) {}
  void Watch();
  void Stop();
  bool Wanted();
  bool DriverIsGone();

  WatchOptions options_;
  const UniqueFd ending_;
  bool stopped_ = false;
  std::string driver_sign_;
  Deadline driver_seen_{};
  Deadline next_look_{};
  std::jthread thread_;
};

}  // namespace protium
