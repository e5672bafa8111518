// SPDX-License-Identifier: Apache-2.0
// `protium resume`: continues a run from its newest intact checkpoint. The run folder contains
// everything needed: job.json has the job or program, its settings and its engine, inputs.json
// describes its files. So the job file may have changed or be gone, and the only settings to give
// are those that may change (run/change_run.h).
#include <fmt/format.h>

#include <filesystem>

#include "app/run/addresses.h"
#include "app/run/change_run.h"
#include "app/run/named_run.h"
#include "app/run/requests.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "job/read_job.h"
#include "mirror/intervals.h"
#include "mirror/mirror.h"
#include "protium/session.h"
#include "reference/keys.h"
#include "run/folder.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Reads job.json, where RequestForJob() or RequestForProgram() described the run. It is written
// after all checks have passed, so a run without one has done nothing that could be continued.
Result<Json> ReadDescription(const fs::path& run) {
  const fs::path file = run / "job.json";
  Result<std::string> text = ReadTextFile(file);
  if (!text.ok()) {
    return Fail({.exit = Exit::kInput,
                 .what = run.string() + " cannot be resumed: it has no job.json",
                 .fix = "run the job again"});
  }
  Result<Json> json = ParseJson(*text);
  // "kind" says whether a job or a program ran; nothing else is relied on here.
  if (json.ok() && json->is_object() && json->contains("kind")) return json;
  return Fail({.exit = Exit::kInput, .what = "damaged file " + file.string()});
}

// Makes the refusal that names the command to use instead.
Status WrongProgram(const Json& description, const fs::path& run) {
  const bool job = description["kind"] == "job";
  const std::string command = job ? "protium" : description.value("program", "");
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} is a run of {}", run.string(), command),
               .fix = fmt::format("{} resume {}", command, run.string())});
}

// Only the same program can resume its run: it has the tasks and nets.
Result<RunRequest> MakeRequest(const Json& description, const fs::path& run,
                               const Invocation& invocation) {
  const bool job = description["kind"] == "job";
  if (job != (invocation.program == nullptr)) return WrongProgram(description, run);
  if (job) {
    PT_LET(Job read, ReadSavedJob(description.value("job", Json::object()), run / "job.json"));
    // For messages and for job.json, which is written again: the original file, not this one.
    read.settings.file = description.value("file", "");
    return RequestForJob(std::move(read), invocation, description.value("settings", Json()));
  }
  return RequestForProgram(invocation, description.value("values", Json::object()),
                           description.value("base", ""), description.value("engine", "local"));
}

// What could not be copied when the run ended.
Status CopyRest(const NamedRun& run) {
  if (!ReadCacheState(run.path).ahead) return Status::OK();
  PT_LET(const std::unique_ptr<Mirror> mirror, Mirror::TakeOver(*run.place, NoteWait));
  PT_TRY(mirror->End());
  PrintNote(run.place->text() + " has all of the run now\n");
  return Status::OK();
}

Result<Json> ResultOf(const NamedRun& run) {
  if (!run.place) return ReadResult(run.path);
  PT_TRY(CopyRest(run));
  PT_LET(const auto store, ObjectStore::Open(*run.place));
  PT_LET(const PublishedRun published, ReadPublished(*store));
  return WithAddresses(ReadResult(run.path), *run.place,
                       published.manifest.value_or(RunManifest{}));
}

Status Resume(const Arguments& arguments, const Invocation& invocation) {
  const std::string which = arguments.operand(0).empty() ? "last" : arguments.operand(0);
  PT_LET(const NamedRun named, FindNamedRun(arguments, which, Parts::kFacts));
  const fs::path& run = named.path;
  PT_LET(const RunHeader header, ReadRunHeader(run));
  // A run with nothing left to do is not a failure: its result is printed again.
  const std::vector<std::string> sets = arguments.Values("--set");
  if (header.state == RunState::kDone && sets.empty()) {
    PrintNote(
        "this run is already done; --set train.epochs=N (trees.rounds=N) trains it further, "
        "search.trials=N continues the search\n");
    PT_LET(const Json result, ResultOf(named));
    return PrintRunResult(result, arguments.Has("--json"));
  }
  std::unique_ptr<Mirror> mirror;
  if (named.place) PT_TRY(Mirror::TakeOver(*named.place, NoteWait).Value(&mirror));
  PT_LET(Json description, ReadDescription(run));
  if (!sets.empty()) PT_TRY(ChangeRun(sets, run, description));
  PT_LET(RunRequest request, MakeRequest(description, run, invocation));
  // Seconds count from the start of the command, including loading.
  request.session.started = invocation.started;
  request.resume = run;
  request.mirror = std::move(mirror);
  if (named.place) request.place = named.place->parent();
  if (header.state == RunState::kDone) request.before = RunState::kDone;
  request.json = arguments.Has("--json");
  request.answered = &invocation.answered;
  request.session.force = arguments.Has("--force");
  return RunToEnd(std::move(request));
}

}  // namespace

CommandVerb ResumeVerb() {
  return {{.name = "resume",
           .operands = {"[RUN]"},
           .flags = {{"--set", "KEY=N",
                      "a higher train.epochs, trees.rounds or search.trials to continue to", "",
                      KeysEndingWith},
                     RunsDirFlag(),
                     ForceFlag(),
                     JsonFlag()},
           .says = "continues a run that was stopped or interrupted",
           .more = "Continues from the last checkpoint, with the same settings and input files. "
                   "The model is the\n"
                   "same, bit for bit, as if the run had not been interrupted.\n"
                   "With --set train.epochs=N a run, finished or not, gets more epochs, as if it "
                   "had had them from the\n"
                   "start, and with --set trees.rounds=N more rounds of trees; not where the "
                   "learning rate depends on\n"
                   "the total number of steps. With --set search.trials=N a search continues with "
                   "more trials, and the\n"
                   "best of all is fitted; search.seconds, search.target and search.patience may "
                   "be changed, too.\n"
                   "\n"
                   "  protium resume last\n"
                   "  protium resume last --set train.epochs=20\n"
                   "  protium resume last --set search.trials=100\n"},
          Resume};
}

}  // namespace protium
