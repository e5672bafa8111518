// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "os/fd.h"

namespace protium {

struct WatchOptions {
  std::filesystem::path stop_file;  // Its appearance is the driver's wish; empty: none.
  // Its content changes as long as the driver lives; empty, or not there: not looked at.
  std::filesystem::path driver_file;
  std::stop_token signals;
  int socket = -1;  // The executor's; its end means that nobody waits for the task any more.
  std::function<void()> on_stop;  // Called once, from the watching thread.
  std::chrono::milliseconds gone_time{10'000};
  std::chrono::milliseconds driver_time{15'000};
};

// Watches, while a task runs, for reasons to end it early: the driver's wish, a driver that gave no
// sign for `driver_time`, SIGTERM, the executor's end. When the executor is gone and the task has
// not ended `gone_time` after it was asked to, the process ends.
class TaskWatch {
 public:
  static Result<std::unique_ptr<TaskWatch>> Start(WatchOptions options);
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
