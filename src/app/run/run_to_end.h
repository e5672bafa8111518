// SPDX-License-Identifier: Apache-2.0
// A run from its folder to its last line: the same for a job file and for a program of one's own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "frame/session_state.h"
#include "run/folder.h"

namespace protium {

struct RunRequest {
  std::string name;
  std::filesystem::path runs = "runs";
  std::optional<std::filesystem::path> resume;  // The folder to go on in.
  std::vector<std::string> argv;
  std::string resume_command = "protium resume";
  bool json = false;
  bool* answered = nullptr;  // Set when a failure is told on stdout, as `json` wants it.
  SessionOptions session;    // engine, base, settings, memory, spill; the rest is filled in.
  Json description = Json::object();  // job.json.

  std::function<void(const Event&)> watch;  // Of a program; may be empty.

  // Checks everything and runs nothing; may add to the description ("plan", "settings"). A fault
  // here leaves no folder behind. May be empty.
  std::function<Status(Session&, Json& description)> prepare;
  std::function<Status(Session&)> run;
};

// Prints the result on stdout, progress on stderr. Ctrl-C saves a checkpoint and is a fault of exit
// kStopped that says how to go on.
Status RunToEnd(RunRequest request);

}  // namespace protium
