// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "app/job/read_job.h"
#include "app/run/requests.h"
#include "app/verb.h"
#include "protium/session.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// For a job --engine is one more setting, so that its place is known; it comes last and wins. A
// program has no job file that could name an engine.
Result<RunRequest> MakeRequest(const Arguments& arguments, const Invocation& invocation) {
  std::vector<std::string> sets = arguments.Values("--set");
  if (invocation.program != nullptr) {
    PT_LET(const Json settings, SettingsFrom(sets));
    return RequestForProgram(invocation, settings, fs::current_path(),
                             arguments.Value("--engine", "local"));
  }
  if (arguments.Has("--engine")) sets.push_back("engine.address=" + arguments.Value("--engine"));
  PT_LET(Job job, ReadJob(arguments.operand(0), sets));
  return RequestForJob(std::move(job), invocation);
}

Status StartRun(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(RunRequest request, MakeRequest(arguments, invocation));
  request.session.started = invocation.started;
  request.runs = RunsDir(arguments);
  request.json = arguments.Has("--json");
  request.answered = &invocation.answered;
  request.session.force = arguments.Has("--force");
  request.name = arguments.Value("--name", request.name);
  return RunToEnd(std::move(request));
}

}  // namespace

CommandVerb RunVerb() {
  return {{.name = "run",
           .operands = {"JOB"},
           .flags = {SetFlag(),
                     EngineFlag(),
                     {"--name", "NAME", "the name of the run", ""},
                     RunsDirFlag(),
                     ForceFlag(),
                     JsonFlag()},
           .says = "runs a job to its model and its outputs",
           .more = "Paths in a job file are relative to the file, in --set to the current folder; "
                   "outputs go\ninto the run folder. Ctrl-C saves a checkpoint and exits with 75; "
                   "`protium resume` continues.\n\n"
                   "  protium run flights.toml\n"
                   "  protium run flights.toml --set data=other --set train.epochs=20\n"},
          StartRun};
}

}  // namespace protium
