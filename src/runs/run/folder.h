// SPDX-License-Identifier: Apache-2.0
// The folder that a run leaves behind:
//   run.json       what runs or ran here, and how it ended
//   events.jsonl   what happened, append-only
//   job.json       what was asked for: enough to resume
//   result.json    metrics, outputs, seconds
//   labels.json    what people called it afterwards (labels.h)
//   report.html    all of it, for people
//   lock           held with flock while a process works here
//   trials.json, trials.csv, trials/   what a search tried (src/learning/search)
//   logs/  checkpoints/  model/  and the outputs; spill/ only while it runs
//
// 1. One process at a time writes; it holds the lock, which the kernel releases however it ends.
// 2. A run that is "running" in run.json while nobody holds its lock was killed.
// 3. Files are replaced whole (written beside, synced, renamed); only events.jsonl grows in place.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "protium/fields.h"
#include "run/event_log.h"

namespace protium {

enum class RunState { kRunning, kDone, kFailed, kStopped };
inline EnumNames<RunState> Names(RunState) {
  return {{{RunState::kRunning, "running"},
           {RunState::kDone, "done"},
           {RunState::kFailed, "failed"},
           {RunState::kStopped, "stopped"}}};
}

// The contents of run.json. `started` and `ended` are TimeText(); `ended` is empty until the run
// ends.
struct RunHeader {
  std::string name;
  RunState state = RunState::kRunning;
  int32_t pid = 0;
  std::string started;
  std::string ended;
  std::vector<std::string> argv;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("state", state);
    visit("pid", pid);
    visit("started", started);
    visit("ended", ended);
    visit("argv", argv);
  }
};

// A run folder that this process may write to.
class RunFolder {
 public:
  // Makes and locks <runs>/<name>-<date>-<time>-<4 random characters>, in local time. Characters of
  // `name` other than ASCII letters, digits, "_" and "-" become "-".
  static Result<std::unique_ptr<RunFolder>> Create(const std::filesystem::path& runs,
                                                   const std::string& name,
                                                   std::vector<std::string> argv);

  // Opens an earlier run to continue it. Refuses a folder that another process has locked with
  // Exit::kEnvironment, without changing it.
  static Result<std::unique_ptr<RunFolder>> Reopen(const std::filesystem::path& folder,
                                                   std::vector<std::string> argv);

  // Removes spill/ and releases the lock. Without Finish() the run stays "running" in run.json, and
  // counts as killed.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string id() const { return path_.filename().string(); }
  EventLog& events() { return *events_; }

  // Writes a file of the folder whole or not at all, and durably: the file and the folder are
  // synced.
  Status WriteFile(const std::string& name, const std::string& text) const;

  // Records how the run ended, and removes spill/.
  Status Finish(RunState state);

 private:
  RunFolder(std::filesystem::path path, int lock);
  static Result<std::unique_ptr<RunFolder>> Enter(const std::filesystem::path& folder);
  Status Begin(RunHeader header);

  std::filesystem::path path_;
  int lock_;
  RunHeader header_;
  std::unique_ptr<EventLog> events_;
};

// Reads run.json of `folder`. A missing or damaged file is a fault of Exit::kInput.
Result<RunHeader> ReadRunHeader(const std::filesystem::path& folder);

// Whether a process holds the folder's lock at this moment.
bool IsLocked(const std::filesystem::path& folder);

// Reads a file of at most 64 MiB; a larger one is a fault of Exit::kInput.
Result<std::string> ReadTextFile(const std::filesystem::path& file);

}  // namespace protium
