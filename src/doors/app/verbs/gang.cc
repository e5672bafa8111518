// SPDX-License-Identifier: Apache-2.0
// `protium gang -- PROGRAM ARGS`: any program as the ranks of a gang, started as torchrun and
// mpirun do, on either engine. Leaves no run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "app/gang/here.h"
#include "app/gang/printer.h"
#include "app/gang/sizing.h"
#include "app/gang/written.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/outputs.h"
#include "frame/session_state.h"
#include "gang/program.h"
#include "gang/program_folder.h"
#include "gang/program_place.h"
#include "inspect/folder_tables.h"
#include "job/csv_flags.h"
#include "job/settings.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "run/progress.h"
#include "run/terminal.h"
#include "terminal/one_file.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Result<int32_t> Count(const Arguments& arguments, const char* flag, int32_t otherwise,
                      int32_t least) {
  PT_LET(const int64_t count, arguments.Number(flag, otherwise));
  if (count >= least && count <= 1'000'000) return int32_t(count);
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} must be from {} to 1000000, got {}", flag, least, count)});
}

Result<double> SecondsIn(const Arguments& arguments, const char* flag, double otherwise) {
  if (!arguments.Has(flag)) return otherwise;
  const std::string text = arguments.Value(flag);
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == 0 && seconds > 0 && seconds <= 1e6) return seconds;
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("{} must be a number of seconds above 0, got \"{}\"", flag, text)});
}

// Reads 4, 2..4, or {min=2,max=4} as in job files.
Result<WorkerRange> WorkersIn(const Arguments& arguments) {
  const std::string text = arguments.Value("--workers", "1");
  const size_t dots = text.find("..");
  const std::string toml =
      dots == text.npos
          ? text
          : fmt::format("{{min={},max={}}}", text.substr(0, dots), text.substr(dots + 2));
  PT_LET(const Assignment read, ReadAssignment("workers=" + toml));
  WorkerRange workers;
  if (FromJson(read.value, "--workers", workers).ok()) return workers;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format(
                   "--workers takes a number of 1 or more, or a range MIN..MAX, got \"{}\"", text),
               .fix = "--workers 4, or --workers 2..4"});
}

Result<GangSpec> ReadGang(const Arguments& arguments) {
  GangSpec gang;
  PT_LET(gang.workers, WorkersIn(arguments));
  PT_LET(gang.cores_per_worker, Count(arguments, "--cores", 1, 1));
  PT_LET(gang.gpus_per_worker, Count(arguments, "--gpus", 0, 0));
  PT_LET(gang.max_restarts, Count(arguments, "--restarts", 0, 0));
  PT_LET(gang.deadline, SecondsIn(arguments, "--deadline", gang.deadline));
  return gang;
}

Result<ProgramLogs> LogsIn(const Arguments& arguments) {
  const std::string name = arguments.Value("--logs", "all");
  std::vector<std::string> known;
  for (const auto& [value, each] : Names(ProgramLogs()).all) {
    if (each == name) return value;
    known.emplace_back(each);
  }
  return UnknownName("kind of --logs", name, known, "--logs");
}

// Reads NAME=VALUE; for a name only, the value is that of our own variable, which no process list
// shows.
Result<std::string> VariableOf(const std::string& given) {
  if (given.empty() || given[0] == '=') {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("--env takes NAME=VALUE or NAME, got \"{}\"", given)});
  }
  if (given.find('=') != std::string::npos) return given;
  const char* const value = std::getenv(given.c_str());
  if (value != nullptr) return given + "=" + value;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("--env {}: there is no such variable here", given),
               .fix = fmt::format("set {0} before, or give --env {0}=VALUE", given)});
}

Result<ProgramSpec> ReadProgram(const Arguments& arguments, const GangSpec& gang) {
  ProgramSpec spec;
  for (size_t i = 0; i < arguments.num_operands(); ++i) spec.words.push_back(arguments.operand(i));
  PT_LET(spec.logs, LogsIn(arguments));
  PT_LET(spec.grace, SecondsIn(arguments, "--grace", spec.grace));
  PT_LET(spec.port, Count(arguments, "--port", 0, 0));
  if (spec.port > 65535) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("--port must be from 1 to 65535, got {}", spec.port)});
  }
  for (const std::string& each : arguments.Values("--env")) {
    PT_LET(std::string variable, VariableOf(each));
    spec.environment.push_back(std::move(variable));
  }
  spec.max_restarts = gang.max_restarts;
  // What the user set takes precedence over torchrun's default.
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  spec.threads = threads != nullptr ? std::atoi(threads) : 0;
  if (spec.threads < 1) spec.threads = gang.cores_per_worker;
  return spec;
}

Result<ProgramInput> InputIn(const Arguments& arguments) {
  if (!arguments.Has("--input")) return ProgramInput::kNone;
  const std::string name = arguments.Value("--input-as", "parquet");
  if (name == "parquet") return ProgramInput::kParquet;
  if (name == "stream") return ProgramInput::kStream;
  const std::vector<std::string> known = {"parquet", "stream"};
  return UnknownName("kind of --input-as", name, known, "--input-as");
}

// Reports what would fail on this machine before anything starts.
Status CheckHere(const Arguments& arguments, ProgramSpec& spec) {
  const fs::path folder = fs::absolute(arguments.Value("--files", fs::current_path().string()));
  std::error_code error;
  spec.folder = folder.string();
  // The name of a program in that folder, relative to it.
  std::string& name = spec.words[0];
  const bool inside = name.find('/') != name.npos && fs::exists(folder / name, error);
  PT_LET(const fs::path program,
         FindProgram(inside ? (folder / name).string() : name, std::getenv("PATH")));
  name = program.string();
  return spec.port == 0 ? Status::OK() : CheckPort(spec.port);
}

// A barrier stage has a fixed number of ranks, and restarts with the same number.
Status CheckThere(const GangSpec& gang) {
  if (!gang.workers.bends()) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("--workers {}..{}: on Spark a gang of programs has a fixed "
                           "number of workers",
                           gang.workers.min, gang.workers.max),
       .fix = fmt::format("--workers {}, or without --engine on this machine", gang.workers.max)});
}

// If ranks have other files than we do: ships what is a file here.
Status ShipTo(const fs::path& scratch, const Arguments& arguments, ProgramSpec& spec) {
  spec.files = scratch / "files";
  const std::string folder = arguments.Value("--files");
  std::error_code error;
  const std::string& name = spec.words[0];
  const bool here = name.find('/') == name.npos || fs::exists(name, error) ||
                    (!folder.empty() && fs::exists(fs::path(folder) / name, error));
  if (!here) PT_TRY(FindProgram(name, nullptr).status());
  return ShipFiles(folder, spec.words, spec.files);
}

// Prints the ranks' output, and of everything else what matters.
class Display {
 public:
  // `out` receives their stdout.
  explicit Display(int out) : printer_(out, STDERR_FILENO) {}
  void On(const Json& event) {
    if (Is<Printed>(event)) return printer_.On(PrintedOf(event));
    // While programs print, progress in reading tables is not interesting.
    if (!Is<EtlProgress>(event)) lines_.On(event, Clock::now());
  }

 private:
  static Terminal Plain() {
    const Terminal terminal = Terminal::Of(STDERR_FILENO);
    return {.color = terminal.color, .quiet = terminal.quiet};
  }

  RankPrinter printer_;
  ProgressLines lines_{Plain(), ToStderr()};
};

// Prints how to change the size of a gang, if it may change.
Result<UniqueFd> ReportSizing(const fs::path& folder, const WorkerRange& workers,
                              Display& display) {
  PT_LET(UniqueFd held, OfferSizing({folder, workers}));
  display.On(
      EventToJson(Note{fmt::format("protium scale {} N changes the number of workers, from {} "
                                   "to {}",
                                   ::getpid(), workers.min, workers.max)}));
  return held;
}

// Runs with a table to read or to write.
Status RunWithTables(const Arguments& arguments, SessionOptions options, const MapTask& task) {
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments));
  const fs::path parts = options.folder / "written";
  const std::string output = arguments.Value("--output");
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  const fs::path target = output.empty() ? "" : ResolveOutput(output);
  const DataFrame input =
      arguments.Has("--input")
          ? OpenPlace(*session, fs::path(arguments.Value("--input")), csv.options)
          : session->Sql("SELECT 1 AS one");
  // The input table is known now, so it can be refused as an output.
  if (!output.empty()) PT_TRY(StateOf(*session).CheckOutput(target));
  if (output.empty()) return input.Map(task).Run().status();
  PT_LET(WrittenTables written, WrittenTables::Make(parts));
  PT_LET(const BatchStreamPtr stream, input.Map(task).Stream());
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (!batch) break;
    PT_TRY(written.Add(*batch));
  }
  PT_TRY(written.Finish());
  PT_TRY(WriteTo(OpenPlace(*session, parts, CsvOptions()), target));
  const int64_t rows = StateOf(*session).record().results()["output_rows"].begin()->get<int64_t>();
  PrintNote(fmt::format("output   {} row{} in {}\n", Grouped(rows), rows == 1 ? "" : "s", output));
  return Status::OK();
}

Status Gang(const Arguments& arguments, const Invocation& invocation) {
  const bool json = arguments.Has("--json");
  invocation.answered = !json;  // A --json after the program belongs to the program.
  PT_LET(const GangSpec gang, ReadGang(arguments));
  PT_LET(ProgramSpec spec, ReadProgram(arguments, gang));
  PT_LET(spec.input, InputIn(arguments));
  spec.output = arguments.Has("--output");
  if (spec.output) {
    PT_TRY(CheckOutputFormat(arguments.Value("--output")));
    PT_TRY(CheckNewOutput(ResolveOutput(arguments.Value("--output")), arguments.Has("--force"),
                          std::array{fs::path(arguments.Value("--input"))}));
  }
  const std::string files = arguments.Value("--files");
  std::error_code error;
  if (!files.empty() && !fs::is_directory(files, error)) {
    return Fail({.exit = Exit::kInput, .what = "--files: there is no folder " + files});
  }
  SessionOptions options;
  options.engine = arguments.Value("--engine", "local");
  const bool cluster = !KindOf(options.engine).runs_here;
  PT_TRY(cluster ? CheckThere(gang) : CheckHere(arguments, spec));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(const std::unique_ptr<Scratch> scratch, Scratch::MakeFor(options.engine, "here"));
  if (cluster) PT_TRY(ShipTo(scratch->path(), arguments, spec));
  if (!cluster) spec.scratch = scratch->path();
  Display display(json ? STDERR_FILENO : STDOUT_FILENO);
  UniqueFd sizing;
  if (gang.workers.bends()) {
    PT_LET(sizing, ReportSizing(scratch->path(), gang.workers, display));
  }
  options.folder = scratch->path();
  options.base = fs::current_path();
  options.force = arguments.Has("--force");
  options.read = {spec.words[0]};
  if (!files.empty()) options.read.emplace_back(files);
  options.call.stop = signals->token();
  options.call.events = [&display](const Json& event) { display.On(event); };
  const bool tables = spec.output || spec.input != ProgramInput::kNone;
  const MapTask task{.task = kProgramTask,
                     .config = Dump(FieldsToJson(spec)),
                     .output = ProgramColumns(),
                     .gang = gang,
                     .role = MapTask::Role::kProgram};
  const Status status = tables || cluster ? RunWithTables(arguments, std::move(options), task)
                                          : RunHere(options, task, nullptr, options.call).status();
  PT_TRY(WithoutLogsIn(scratch->path(), status));
  return json ? PrintResult(Dump({{"ranks", ToJson(gang.workers)}}) + "\n") : Status::OK();
}

}  // namespace

CommandVerb GangVerb() {
  return {
      {.name = "gang",
       .operands = {"PROGRAM", "[ARGS...]"},
       .flags = {{"--workers", "N", "how many ranks, or MIN..MAX (1)", ""},
                 {"--cores", "N", "cores for each rank (1)", ""},
                 {"--gpus", "N", "devices for each rank (0)", ""},
                 {"--restarts", "N", "how many times all ranks are restarted after a failure (0)",
                  ""},
                 {"--logs", "WHICH", "whose output is shown: all, rank0 or none (all)", ""},
                 {"--files", "DIR", "the working directory of the ranks (this one)", ""},
                 {"--input", "TABLE", "a table; each rank gets a part of it", ""},
                 {"--input-as", "FORM",
                  "how: parquet, a file, or stream, a file descriptor (parquet)", ""},
                 {"--output", "FILE", "the file for the rows that all ranks write", ""},
                 {"--null", "TEXT", "how CSV files write missing values; may be repeated", ""},
                 DelimiterFlag(),
                 CsvFlag(),
                 {"--env", "NAME=VALUE",
                  "an environment variable for the program (NAME alone: with its value here); may "
                  "be repeated",
                  ""},
                 {"--port", "PORT", "the MASTER_PORT (a free one)", ""},
                 {"--grace", "SECONDS", "between SIGTERM and SIGKILL (10)", ""},
                 {"--deadline", "SECONDS", "how long a rank's host may not respond (60)", ""},
                 EngineFlag(),
                 JsonFlag(),
                 ForceFlag()},
       .says = "runs any program as ranks that start together and fail together",
       .more = "Each rank finds RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT, as with "
               "torchrun, and\n"
               "the variables of Horovod and TensorFlow. What the ranks print is shown with [rank] "
               "before each line.\n"
               "When a rank fails, the others are ended; with --restarts all of them start again.\n"
               "With --workers 2..4 the gang has as many ranks as there is room for, and protium "
               "scale PID N\n"
               "changes the number.\n"
               "A rank's part of --input is the file PROTIUM_INPUT, or the Arrow stream "
               "PROTIUM_INPUT_FD; its part\n"
               "of --output is an Arrow stream that it writes to PROTIUM_OUTPUT_FD, or the file "
               "PROTIUM_OUTPUT.\n"
               "\n"
               "  protium gang --workers 4 -- python3 train.py --epochs 3\n",
       .runs_command = true},
      Gang};
}

}  // namespace protium
