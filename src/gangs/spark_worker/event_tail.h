// SPDX-License-Identifier: Apache-2.0
// What tasks on executors report while they run. Spark carries rows only, so events go through
// files in a folder that driver and executors reach: <partition>-<Spark's task attempt>.jsonl, one
// JSON object per line, appended by one task each. The folder also carries files the other way:
// kStopFile, kDriverFile and, for each task, WhereFile(). Lines by "type":
//   event  "event": TaskContext::Send
//   saved  TaskContext::Saved
//   start  "rank", "world", "host", "pid", "devices", "attempt", "log": of a gang's rank
//   beat   "doing": a TaskSight (gang/doing.h); the rank lives
//   end    "rank", "status", "at", "read": status is {} for a good end, `read` the RowSums of what
//          it read, if its rows came through Spark and it saw their end
// and those of leases (spark_worker/lease_words.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "base/status.h"
#include "spark_worker/line_tail.h"

namespace protium {

// A line and whose it is: partition, and Spark's id of the task attempt, which grows with every
// try.
struct TailedLine {
  int32_t partition = 0;
  int64_t task_attempt = 0;
  Json line;

  const std::string& type() const { return TextAt(line, "type"); }
};

// Passes on what the line says to those who watch, if it is an event or says that work was saved.
bool Forward(const TailedLine& line, const Call& call);

// A task that writes events.
struct EventWriter {
  int32_t partition = 0;
  int64_t task_attempt = 0;
};

// The driver's side. Read() returns what was added since the last call. One thread.
class EventTail {
 public:
  explicit EventTail(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // New whole lines of all files, file by file in the order of their names, at most 4 MiB of each.
  // A line that is no JSON object, and a file with any other name, is skipped: a task that was
  // killed may leave either.
  Result<std::vector<TailedLine>> Read();
  // The tasks whose processes have ended since the last call, of those that lock their files
  // (EventFile); Read() has returned all that they wrote.
  std::vector<EventWriter> TakeEnded() { return std::exchange(ended_, {}); }

  // Asks the tasks to end early in good order.
  Status AskToStop() const;
  // Asks a task to write its stack to its log.
  Status AskWhere(int64_t task_attempt);
  // Changes kDriverFile. Ranks end themselves when it has not changed for 15 s.
  Status ShowLife();

 private:
  struct File {
    EventWriter writer;
    LineTail lines;
    bool ended = false;
  };

  const std::filesystem::path folder_;
  std::map<std::string, File> files_;
  std::vector<EventWriter> ended_;
  int64_t signs_ = 0;
  int64_t questions_ = 0;
};

// "007-123.jsonl".
std::string EventFileName(int32_t partition, int64_t task_attempt);
// Its changes ask the task to write its stack to its log.
std::string WhereFile(int64_t task_attempt);
// Its existence asks tasks to end early in good order.
inline constexpr char kStopFile[] = "stop";
// Holds a number that changes every second while the driver follows a gang: its content counts,
// since clocks and file times of hosts may differ.
inline constexpr char kDriverFile[] = "driver";

}  // namespace protium
