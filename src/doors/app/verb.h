// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, each a shape and a function, one file each under verbs/; and what they
// share: printing, common flags, text tables.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/arguments.h"
#include "base/status.h"

namespace protium {

struct Program;

// How the process was called. `program` is null for the command `protium` itself.
struct Invocation {
  std::string name;               // "protium", or that of the user's program.
  std::vector<std::string> argv;  // Complete, argv[0] included.
  const Program* program = nullptr;
  mutable bool answered = false;  // Set once a failure is on stdout, as --json requires.
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
CommandVerb SqlVerb();
CommandVerb GangVerb();
CommandVerb ScaleVerb();
CommandVerb PauseVerb();
CommandVerb RunsVerb();
CommandVerb LogsVerb();
CommandVerb StatusVerb();
CommandVerb TopVerb();
CommandVerb UiVerb();
CommandVerb ExportVerb();
CommandVerb ImportVerb();
CommandVerb ConfigVerb();
CommandVerb ExampleVerb();
CommandVerb DoctorVerb();
CommandVerb CompletionVerb();
CommandVerb HelpVerb();

// Results go to stdout, everything else to stderr. On a terminal both are made safe (Printable()).
// A failed write to stdout is a fault: of Exit::kDone if the reader has closed its end, as `head`
// does, which ends the verb silently, else of Exit::kEnvironment.
Status PrintResult(std::string_view text);
void PrintNote(std::string_view text);

// The fault without the logs in `folder` that it refers to, for a folder that is about to be
// removed.
Status WithoutLogsIn(const std::filesystem::path& folder, const Status& status);

// Flags that several verbs share.
Flag RunsDirFlag();
Flag SetFlag();
Flag EngineFlag();
Flag JsonFlag();
Flag ForceFlag();

// The value of --runs-dir, else of PROTIUM_RUNS_DIR, else the folder "runs" beside the file
// .protium that is nearest in this folder or one above it and marks a project, else "runs" here.
std::string RunsDir(const Arguments& arguments);

// Columns of text, two spaces apart, the first row being the heading; columns marked in `right` are
// aligned to the right, as numbers are.
std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      const std::vector<bool>& right = {});

}  // namespace protium
