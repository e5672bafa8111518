// SPDX-License-Identifier: Apache-2.0
// The folder that a run leaves behind:
//   run.json       what runs or ran here, and how it ended
//   events.jsonl   what happened, append-only
//   job.json, result.json, report.html
//   logs/  checkpoints/  model/  and the outputs; spill/ only while it runs
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/json.h"
#include "base/status.h"
#include "run/event_log.h"

namespace protium {

enum class RunState { kRunning, kDone, kFailed, kStopped };
inline EnumNames<RunState> Names(RunState) {
  return {{{RunState::kRunning, "running"},
           {RunState::kDone, "done"},
           {RunState::kFailed, "failed"},
           {RunState::kStopped, "stopped"}}};
}

// What run.json holds.
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

class RunFolder {
 public:
  // Makes <runs>/<name>-<date>-<time>-<4 characters> and locks it. Characters of `name` that do not
  // belong in a file's name become "-".
  static Result<std::unique_ptr<RunFolder>> Create(const std::filesystem::path& runs,
                                                   const std::string& name,
                                                   std::vector<std::string> argv);

  // Takes up an earlier run. A folder in which a job runs at this moment is refused.
  static Result<std::unique_ptr<RunFolder>> Reopen(const std::filesystem::path& folder,
                                                   std::vector<std::string> argv);

  // Removes spill/ and gives the lock back. A run that nobody finished stays "running" in run.json;
  // readers see from the free lock that it was cut off.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string id() const { return path_.filename().string(); }
  EventLog& events() { return *events_; }

  // Writes a file of the folder whole or not at all.
  Status WriteFile(const std::string& name, const std::string& text) const;

  // Sets how the run ended and removes spill/.
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

// Reads run.json of `folder`; missing or damaged is an input fault.
Result<RunHeader> ReadRunHeader(const std::filesystem::path& folder);

// True while a process holds the folder's lock.
bool IsLocked(const std::filesystem::path& folder);

// Reads a file of at most 64 MiB.
Result<std::string> ReadTextFile(const std::filesystem::path& file);

}  // namespace protium
