// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, each a shape and a function, one file each under verbs/; and the flags
// that several of them share.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/status.h"
#include "terminal/arguments.h"

namespace protium {

struct Program;

// How the process was called. `program` is null for the command `protium` itself.
struct Invocation {
  std::string name;               // "protium", or that of the user's program.
  std::vector<std::string> argv;  // Complete, including argv[0].
  const Program* program = nullptr;
  mutable bool answered = false;  // Set after a failure was printed on stdout, as --json requires.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

struct CommandVerb {
  VerbShape shape;
  Status (*run)(const Arguments&, const Invocation&);
};

// Every verb, in the order of help.
std::vector<CommandVerb> AllVerbs();

CommandVerb RunVerb();
CommandVerb CheckVerb();
CommandVerb PlanVerb();
CommandVerb ResumeVerb();
CommandVerb PredictVerb();
CommandVerb InitVerb();
CommandVerb InspectVerb();
CommandVerb ServeVerb();
CommandVerb StreamVerb();
CommandVerb SqlVerb();
CommandVerb GangVerb();
CommandVerb ScaleVerb();
CommandVerb PauseVerb();
CommandVerb PoolVerb();
CommandVerb SearchVerb();
CommandVerb RunsVerb();
CommandVerb LogsVerb();
CommandVerb StatusVerb();
CommandVerb TopVerb();
CommandVerb UiVerb();
CommandVerb ExportVerb();
CommandVerb ImportVerb();
CommandVerb ConfigVerb();
CommandVerb ExampleVerb();
CommandVerb CacheVerb();
CommandVerb DoctorVerb();
CommandVerb CompletionVerb();
CommandVerb HelpVerb();

// Flags that several verbs share.
Flag RunsDirFlag();
Flag SetFlag();
Flag EngineFlag();
Flag JsonFlag();
Flag ForceFlag();

// Returns the value of --runs-dir, else of PROTIUM_RUNS_DIR, else the folder "runs" beside the
// nearest file .protium, in this folder or one above it, which marks a project, else "runs" in this
// folder.
std::string RunsDir(const Arguments& arguments);

}  // namespace protium
