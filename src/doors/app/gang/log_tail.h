// SPDX-License-Identifier: Apache-2.0
// The output lines of a gang's ranks while it runs, read from their logs, which remain even if a
// rank crashes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "events/events.h"
#include "gang/program_output.h"

namespace protium {

// Follows the logs in a folder on its own thread.
class LogTail {
 public:
  // Skips what is already in `folder`. `print` is called on that thread.
  LogTail(std::filesystem::path folder, bool only_first, std::function<void(const Printed&)> print);
  // Reads to the end of all logs.
  ~LogTail();
  // Passes on which logs to read. Any thread.
  void On(const GangPlaced& event);

 private:
  struct Log {
    int32_t rank = 0;
    int64_t read = 0;
    LineCutter cutter;
  };
  void Look(bool last);

  const bool only_first_;
  const std::function<void(const Printed&)> print_;
  std::mutex mutex_;
  std::map<std::string, int64_t> before_;  // Sizes of the logs that existed before.
  std::map<std::string, Log> logs_;
  std::jthread thread_;
};

}  // namespace protium
