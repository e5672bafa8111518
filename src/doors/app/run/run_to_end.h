// SPDX-License-Identifier: Apache-2.0
// A run from opening its folder to printing its last line, the same for a job file and for a user's
// program. run_to_end.cc documents the order.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "frame/session_state.h"
#include "mirror/mirror.h"
#include "run/folder.h"

namespace protium {

// What to run. The functions are called on the caller's thread, `watch` on any.
struct RunRequest {
  std::string name;
  std::filesystem::path runs = "runs";
  // Where a new run is mirrored to, if that is an object store; `runs` is then its cache. A resumed
  // run has a mirror instead.
  std::optional<ObjectPlace> place;
  std::unique_ptr<Mirror> mirror;
  std::optional<std::filesystem::path> resume;  // The folder of the run to continue.
  // The state a resumed run returns to if it cannot be started.
  RunState before = RunState::kStopped;
  std::vector<std::string> argv;
  std::string resume_command = "protium resume";
  bool json = false;
  bool* answered = nullptr;  // Set when a failure has been printed on stdout, as `json` requires.
  SessionOptions session;    // engine, base, settings, memory, spill; the rest is filled in.
  Json description = Json::object();  // Becomes job.json.

  std::function<void(const Event&)> watch;  // Program::watch; may be empty.

  // Checks everything and runs nothing; may add to the description ("plan", "settings"). If it
  // fails, a new run leaves no folder behind. May be empty.
  std::function<Status(Session&, Json& description)> prepare;
  std::function<Status(Session&)> run;
};

// Runs the request. Prints the result on stdout and progress on stderr. Ctrl-C makes it save a
// checkpoint and fail with Exit::kStopped and the command that continues.
Status RunToEnd(RunRequest request);

}  // namespace protium
