// SPDX-License-Identifier: Apache-2.0
// What tasks on executors say while they run. Spark carries rows only, so events go through files
// in a folder that driver and executors reach: <partition>-<Spark's task attempt>.jsonl, a JSON
// object a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

struct TailedEvent {
  int32_t partition = 0;
  int64_t task_attempt = 0;
  Json event;
};

// Reads what was added since the last time. One thread.
class EventTail {
 public:
  explicit EventTail(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // New whole lines of all files, file by file in the order of their names. A line that is no JSON
  // object, and a file of another name, is passed over: a killed task leaves such.
  Result<std::vector<TailedEvent>> Read();

  // Asks the tasks to end early in good order.
  Status AskToStop() const;
  // Leaves a new sign that the driver lives; ranks stop when they see none for a while.
  Status ShowLife();

 private:
  struct File {
    int32_t partition = 0;
    int64_t task_attempt = 0;
    int64_t read = 0;  // Bytes.
  };
  Status ReadFile(const std::filesystem::path& path, File& file, std::vector<TailedEvent>& out);

  const std::filesystem::path folder_;
  std::map<std::string, File> files_;
  int64_t signs_ = 0;
};

// "007-123.jsonl".
std::string EventFileName(int32_t partition, int64_t task_attempt);
inline constexpr char kStopFile[] = "stop";
// Holds a number that changes every second while the driver follows a gang.
inline constexpr char kDriverFile[] = "driver";

}  // namespace protium
