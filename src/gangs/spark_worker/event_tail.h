// SPDX-License-Identifier: Apache-2.0
// What tasks on executors report while they run. Spark carries rows only, so events go through
// files in a folder that driver and executors reach: <partition>-<Spark's task attempt>.jsonl, one
// JSON object per line, each file appended to by one task. The folder also has files in the other
// direction: kStopFile, kDriverFile and, for each task, WhereFile(). Lines by "type":
//   event  "event": TaskContext::Send
//   saved  TaskContext::Saved
//   start  "rank", "world", "host", "pid", "devices", "attempt", "log": of a gang's rank
//   beat   "doing": a TaskSight (gang/doing.h); the rank lives
//   end    "rank", "status", "at", "read": status is {} after a success, `read` the RowSums of what
//          it read, if its rows came through Spark and it reached their end
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

// A line and who wrote it: partition, and Spark's id of the task attempt, which grows with every
// try.
struct TailedLine {
  int32_t partition = 0;
  int64_t task_attempt = 0;
  Json line;

  const std::string& type() const { return TextAt(line, "type"); }
};

// Passes the line to those who watch, if it is an event or says that work was saved.
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

  // Returns new whole lines of all files, file by file in the order of their names, at most 4 MiB
  // of each. Skips lines that are not JSON objects and files with other names: a task that was
  // killed may leave either.
  Result<std::vector<TailedLine>> Read();
  // Returns the tasks, of those that lock their files (EventFile), whose processes have ended since
  // the last call; Read() has returned all that they wrote.
  std::vector<EventWriter> TakeEnded() { return std::exchange(ended_, {}); }

  // Asks the tasks to end early, but normally.
  Status AskToStop() const;
  // Asks a task to write its stack to its log.
  Status AskWhere(int64_t task_attempt);
  // Changes kDriverFile. Ranks end if it has not changed for 15 s.
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
// When it changes, the task writes its stack to its log.
std::string WhereFile(int64_t task_attempt);
// When it exists, tasks end early, but normally.
inline constexpr char kStopFile[] = "stop";
// Holds a number that changes every second while the driver follows a gang: its content counts,
// since clocks and file times of hosts may differ.
inline constexpr char kDriverFile[] = "driver";

}  // namespace protium
