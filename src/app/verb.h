// SPDX-License-Identifier: Apache-2.0
// A verb of the command: its shape and what it does. One file each under verbs/.
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

// How the process was called.
struct Invocation {
  std::string name;               // "protium", or that of the user's program.
  std::vector<std::string> argv;  // Whole, with the program.
  const Program* program = nullptr;
  mutable bool answered = false;  // A failure is on stdout already, as --json wants it.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

struct CommandVerb {
  VerbShape shape;
  Status (*run)(const Arguments&, const Invocation&);
};

// Every verb, in the order of help.
std::vector<CommandVerb> AllVerbs();

CommandVerb RunVerb();
CommandVerb PlanVerb();
CommandVerb ResumeVerb();
CommandVerb PredictVerb();
CommandVerb InspectVerb();
CommandVerb RunsVerb();
CommandVerb LogsVerb();
CommandVerb ExampleVerb();
CommandVerb HelpVerb();

// Results go to stdout; everything else to stderr. A full stdout is a fault; one that nobody reads
// any more is a fault of exit kDone, which ends a verb without a word.
Status PrintResult(std::string_view text);
void PrintNote(std::string_view text);

// The fault without the logs in `folder` that it names: they go with the folder.
Status WithoutLogsIn(const std::filesystem::path& folder, const Status& status);

// Flags that several verbs share.
Flag RunsDirFlag();
Flag SetFlag();
Flag EngineFlag();
Flag JsonFlag();
Flag ForceFlag();
Flag DelimiterFlag();

// "--runs-dir" or "runs".
std::string RunsDir(const Arguments& arguments);

// Columns of text under a heading, two spaces apart; `right` columns are numbers.
std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      const std::vector<bool>& right = {});

}  // namespace protium
