// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <fmt/format.h>
#include <protium/version.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/unknown_name.h"
#include "engine/address.h"
#include "objects/store.h"
#include "reference/keys.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

const CommandVerb* FindVerb(const std::vector<CommandVerb>& verbs, const std::string& name) {
  for (const CommandVerb& verb : verbs) {
    if (verb.shape.name == name) return &verb;
  }
  return nullptr;
}

Status UnknownVerb(const std::vector<CommandVerb>& verbs, const Invocation& invocation,
                   const std::string& word) {
  std::vector<std::string> known;
  for (const CommandVerb& verb : verbs) known.push_back(verb.shape.name);
  // `protium flights.toml` is the most likely slip.
  const std::string job = word.ends_with(".toml") ? invocation.name + " run " + word : "";
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("unknown command \"{}\"", word),
               .fix = job.empty() ? Suggest(word, known) : job});
}

// What every verb takes.
const Flag kSharedFlags[] = {
    {"--quiet", "", "no progress and no notes, only results and warnings", "-q"},
    {"--verbose", "", "each step of the work on a line of its own, with its time", "-v"},
    {"--color", "WHEN", "auto (the default), always or never", ""},
    {"--help", "", "this page", "-h"}};

// Sets the environment variables that Terminal::Of() reads to what the flags say. Call it before
// there are threads.
Status ApplyDisplay(const Arguments& arguments) {
  const std::string color = arguments.Value("--color", "auto");
  const std::vector<std::string> known = {"auto", "always", "never"};
  if (std::ranges::find(known, color) == known.end()) {
    return UnknownName("value", color, known, "--color");
  }
  if (color == "always") {
    ::setenv("CLICOLOR_FORCE", "1", 1);
    ::unsetenv("NO_COLOR");
  }
  if (color == "never") ::setenv("NO_COLOR", "1", 1);
  if (arguments.Has("--quiet") && arguments.Has("--verbose")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--quiet and --verbose contradict each other",
                 .fix = "leave one of them out"});
  }
  if (arguments.Has("--quiet")) ::setenv("PROTIUM_QUIET", "1", 1);
  if (arguments.Has("--verbose")) ::setenv("PROTIUM_VERBOSE", "1", 1);
  return Status::OK();
}

// Paths in arguments and settings may be relative to it. A folder removed while a shell was in it
// is still a process's working directory, but has no name.
Status CheckWorkingFolder() {
  std::error_code error;
  (void)fs::current_path(error);
  if (!error) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "the folder that this command runs in cannot be found: " + error.message(),
               .why = "it was removed, or moved, after the shell had entered it",
               .fix = "cd to a folder that exists, and start it again there"});
}

Status RunVerbNamed(const Invocation& invocation, const std::string& name,
                    const std::vector<std::string>& words) {
  const std::vector<CommandVerb> verbs = AllVerbs();
  const CommandVerb* verb = FindVerb(verbs, name);
  if (verb == nullptr) return UnknownVerb(verbs, invocation, name);
  VerbShape shape = verb->shape;
  // A user's program is its own job, so its verbs take no JOB operand.
  if (invocation.program != nullptr && !shape.operands.empty() && shape.operands[0] == "JOB") {
    shape.operands.clear();
  }
  shape.flags.insert(shape.flags.end(), std::begin(kSharedFlags), std::end(kSharedFlags));
  PT_LET(const Arguments arguments, Arguments::Read(shape, words));
  if (arguments.Has("--help")) return PrintResult(FormatHelp(invocation.name, shape));
  PT_TRY(ApplyDisplay(arguments));
  PT_TRY(CheckWorkingFolder());
  return verb->run(arguments, invocation);
}

// `protium VERB ...`. A user's program may leave the verb out: `./flights --set x=1` runs.
Status Dispatch(const Invocation& invocation) {
  std::vector<std::string> words(invocation.argv.begin() + 1, invocation.argv.end());
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--version") return PrintResult("protium " PROTIUM_VERSION "\n");
  if (first == "--help" || first == "-h") return PrintResult(HelpPage(invocation.name));
  if (invocation.program != nullptr && (first.empty() || first.starts_with("-"))) {
    return RunVerbNamed(invocation, "run", words);
  }
  if (words.empty()) {
    PrintNote(HelpPage(invocation.name));
    return Fail({.exit = Exit::kUsage, .what = "no command given"});
  }
  words.erase(words.begin());
  return RunVerbNamed(invocation, first, words);
}

// Looks at the raw words, since parsing the arguments may be what failed.
bool WantsJson(const Invocation& invocation) {
  const auto& words = invocation.argv;
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--json") != end;
}

}  // namespace

std::span<const Flag> SharedFlags() { return kSharedFlags; }

std::vector<CommandVerb> AllVerbs() {
  return {RunVerb(),    CheckVerb(),  PlanVerb(),       ResumeVerb(), PredictVerb(), InspectVerb(),
          SqlVerb(),    GangVerb(),   ScaleVerb(),      PauseVerb(),  InitVerb(),    SearchVerb(),
          RunsVerb(),   StatusVerb(), TopVerb(),        LogsVerb(),   UiVerb(),      ServeVerb(),
          StreamVerb(), ExportVerb(), ImportVerb(),     ConfigVerb(), ExampleVerb(), CacheVerb(),
          PoolVerb(),   DoctorVerb(), CompletionVerb(), HelpVerb()};
}

int RunCommand(const Invocation& invocation) {
  // A reader such as `head` may close the pipe. By default SIGPIPE would kill us immediately,
  // before a run has recorded how it ended; if ignored, the write fails with EPIPE (PrintResult).
  ::signal(SIGPIPE, SIG_IGN);
  // Likewise, exceeding the file size limit becomes EFBIG, which is reported as a full disk.
  ::signal(SIGXFSZ, SIG_IGN);
  const ObjectStoresEnd end;
  const Status status = Dispatch(invocation);
  if (status.ok()) return 0;
  Fault fault = FaultOf(status);
  if (fault.exit == Exit::kDone) return 0;
  fault.where = WithoutSecrets(fault.where);  // It may quote --set engine=sc://...;token=...
  if (WantsJson(invocation) && !invocation.answered) {
    (void)PrintResult(Dump({{"error", StatusToJson(Fail(fault))}}) + "\n");
  }
  PrintNote(Render(fault));
  return static_cast<int>(fault.exit);
}

Flag RunsDirFlag() {
  return {"--runs-dir", "DIR",
          "the folder of runs, or s3://... (PROTIUM_RUNS_DIR, else runs in the project or here)",
          ""};
}
Flag SetFlag() {
  return {"--set", "KEY=VALUE", "overrides a setting; may be repeated", "", KeysEndingWith};
}
Flag EngineFlag() {
  return {"--engine", "ADDRESS", "local, local[4] for at most 4 workers, or sc://host:15002", ""};
}
Flag JsonFlag() { return {"--json", "", "the result as JSON, on one line", ""}; }
Flag ForceFlag() {
  return {"--force", "", "lets outputs overwrite existing files, never inputs", ""};
}

std::string RunsDir(const Arguments& arguments) {
  if (arguments.Has("--runs-dir")) return arguments.Value("--runs-dir");
  const char* const usual = std::getenv("PROTIUM_RUNS_DIR");
  if (usual != nullptr && *usual != 0) return usual;
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  for (fs::path folder = here; folder.has_relative_path(); folder = folder.parent_path()) {
    if (!fs::is_regular_file(folder / ".protium", ignored)) continue;
    return folder == here ? "runs" : (folder / "runs").string();
  }
  return "runs";
}

std::string HelpPage(const std::string& program) {
  std::string page =
      program + ": from raw tables to a trained model and scored tables, in one job\n\n";
  if (program == "protium") {
    page +=
        "  protium example flights data --rows 30000    sample tables to try it on\n"
        "  protium plan flights.toml                    what it would do, without running it\n"
        "  protium run flights.toml --set data=data     run it\n"
        "  protium resume last                          continue after an interruption\n\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const CommandVerb& verb : AllVerbs()) {
    std::string call = "  " + verb.shape.name;
    for (const std::string& operand : verb.shape.operands) call += " " + operand;
    rows.push_back({call, verb.shape.says});
  }
  return page + TextTable(rows) + "\n" + program +
         " help COMMAND explains one of them, help keys the keys of a job file, help stages "
         "(nets,\n"
         "losses, metrics, optimizers, schedules) what a job can name, help sql the functions of "
         "SQL, and\n"
         "help exit-codes the exit codes.\n";
}

std::string ExitCodesPage() {
  return "exit codes\n"
         "   0  done\n"
         "   1  the job ran and failed\n"
         "   2  the request is wrong (a flag, a job file); nothing was started\n"
         "   3  an input is missing, unreadable or of the wrong shape\n"
         "   4  the environment: a port, device, library or permission\n"
         "   5  a remote system is unreachable or refused\n"
         "   6  out of memory or disk space\n"
         "   7  stalled: a deadline passed\n"
         "  70  a bug in protium\n"
         "  75  stopped on purpose: `protium resume` continues from the last checkpoint\n";
}

}  // namespace protium
