// SPDX-License-Identifier: Apache-2.0
// `protium run`, and `run` of a program of the user's own: reads the request and hands it to
// RunToEnd() (app/run/run_to_end.h), which does everything from opening the run folder to printing
// the result.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/run/named_run.h"
#include "app/run/requests.h"
#include "app/verb.h"
#include "base/fault.h"
#include "job/check_stream.h"
#include "job/read_job.h"
#include "mirror/cache.h"
#include "page/page_beside.h"
#include "protium/session.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// For a job, --engine is one more setting, so that messages can name its place; added last, it
// wins. A program has no job file that could name an engine.
Result<RunRequest> MakeRequest(const Arguments& arguments, const Invocation& invocation) {
  std::vector<std::string> sets = arguments.Values("--set");
  if (invocation.program != nullptr) {
    PT_LET(const Json settings, SettingsFrom(sets));
    return RequestForProgram(invocation, settings, fs::current_path(),
                             arguments.Value("--engine", "local"));
  }
  // Added last, so that it wins over --set engine.address.
  if (arguments.Has("--engine")) sets.push_back("engine.address=" + arguments.Value("--engine"));
  PT_LET(Job job, ReadJob(arguments.operand(0), sets));
  PT_TRY(RefuseStream(job));
  return RequestForJob(std::move(job), invocation);
}

// Prints the page's address first, so that it can be opened during the run. On a terminal
// the page outlasts a finished run; scripts continue when the run has ended.
Status RunWithPage(RunRequest request) {
  const bool stays = isatty(STDERR_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
  PT_LET(const std::unique_ptr<PageBeside> page, PageBeside::Start(request.runs));
  PrintNote(fmt::format("the run in the browser: {}\n", page->address()));
  const Status status = RunToEnd(std::move(request));
  return status.ok() && stays ? page->StayUntilCtrlC() : status;
}

// The flags that jobs and programs share.
Status StartRun(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(RunRequest request, MakeRequest(arguments, invocation));
  request.session.started = invocation.started;
  PT_LET(request.place, RunsPlace(arguments));
  request.runs = RunsDir(arguments);
  if (request.place) PT_TRY(CacheOf(*request.place).Value(&request.runs));
  request.json = arguments.Has("--json");
  // With --json a failure is the one line on stdout; RunToEnd() records whether it has printed it.
  request.answered = &invocation.answered;
  request.session.force = arguments.Has("--force");
  request.session.fresh = arguments.Has("--fresh");
  request.name = arguments.Value("--name", request.name);
  if (!arguments.Has("--ui")) return RunToEnd(std::move(request));
  return RunWithPage(std::move(request));
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
                     {"--fresh", "", "does not reuse tables kept by earlier runs", ""},
                     {"--ui", "", "also shows the run in the browser", ""},
                     JsonFlag()},
           .says = "runs a job to its model and its outputs",
           .more = "Paths in a job file are relative to the file, in --set to the current folder; "
                   "outputs go\n"
                   "into the run folder. Ctrl-C saves a checkpoint and exits with 75; `protium "
                   "resume` continues.\n"
                   "\n"
                   "  protium run flights.toml\n"
                   "  protium run flights.toml --set data=other --set train.epochs=20\n"},
          StartRun};
}

}  // namespace protium
