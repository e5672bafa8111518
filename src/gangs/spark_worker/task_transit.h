// SPDX-License-Identifier: Apache-2.0
// The run folder on an executor that does not reach the driver's: a folder of the executor's own,
// whose files driver and tasks exchange through an object store (transit/transit_folder.h). All
// that meet belong to one attempt of a gang, or to the tasks of one operation: they have the folder
// of events in common, after which their meeting is named.
#pragma once

#include <arrow/record_batch.h>

#include <atomic>
#include <memory>
#include <string>

#include "os/temporary_folder.h"
#include "spark_worker/command.h"
#include "transit/here.h"
#include "transit/transit_folder.h"

namespace protium {

// The driver among those who meet.
inline constexpr char kDriverInTransit[] = "driver";

// Those who meet over a folder of events.
std::string MeetingOf(const std::string& events);
// What the driver sends for the command, relative to the run folder: the folder of events, and the
// files and folders that its config names.
std::vector<std::string> SentFor(const SparkCommand& command);
// Whether a file of a run folder only grows.
bool GrowsInTransit(const std::string& path);

// A task's side. Before it goes, everything that the task has written is sent by Send().
class TaskTransit {
 public:
  // Makes the folder, brings what the command's config names, and moves the paths in `command`
  // into the folder. `task` is unlike that of all other tasks of the meeting. Returns nullptr if
  // the command has no transit.
  static Result<std::unique_ptr<TaskTransit>> Make(SparkCommand& command, const std::string& task);

  // Sends what was written, and takes what there is; for the last time an error counts.
  Status Exchange() { return meeting_->Exchange(); }

  // With the paths that the driver knows.
  Json ForDriver(const Json& event) const { return there_.Paths(event); }
  std::string ForDriver(const std::string& path) const { return there_.Path(path); }
  // Columns of text, wherever they name a file of the run.
  Result<std::shared_ptr<arrow::RecordBatch>> ForDriver(const arrow::RecordBatch& batch) const;

 private:
  TaskTransit(TemporaryFolder folder, const SparkCommand& command);
  Status Open(SparkCommand& command, const std::string& task);
  bool Takes(const std::string& path) const;

  const TemporaryFolder folder_;
  const Moved here_, there_;
  const std::string events_;              // Relative to the run folder.
  const std::vector<std::string> named_;  // By the config, relative to the run folder.
  const bool follows_;                    // What is named there is brought again when it changes.
  std::atomic<bool> began_ = false;
  std::unique_ptr<TransitFolder> meeting_;
};

}  // namespace protium
