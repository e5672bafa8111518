// SPDX-License-Identifier: Apache-2.0
// `protium gang -- PROGRAM ARGS`: any program as the ranks of a gang, as torchrun and mpirun start
// them, on either engine. Leaves no run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/gang/here.h"
#include "app/run/one_file.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "engine/address.h"
#include "frame/session_state.h"
#include "gang/program.h"
#include "gang/program_place.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "run/progress.h"
#include "run/terminal.h"

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

Result<GangSpec> ReadGang(const Arguments& arguments) {
  GangSpec gang;
  PT_LET(gang.workers, Count(arguments, "--workers", 1, 1));
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
    if (each.find('=') == std::string::npos || each[0] == '=') {
      return Fail(
          {.exit = Exit::kUsage, .what = fmt::format("--env takes NAME=VALUE, got \"{}\"", each)});
    }
    spec.environment.push_back(each);
  }
  spec.max_restarts = gang.max_restarts;
  // What the user set goes before what torchrun would set.
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  spec.threads = threads != nullptr ? std::atoi(threads) : 0;
  if (spec.threads < 1) spec.threads = gang.cores_per_worker;
  return spec;
}

// What would fail on this machine is told before anything starts.
Status CheckHere(ProgramSpec& spec) {
  PT_LET(const fs::path program, FindProgram(spec.words[0], std::getenv("PATH")));
  spec.words[0] = program.string();
  spec.folder = fs::current_path().string();
  if (spec.port != 0) PT_TRY(CheckPort(spec.port));
  return Status::OK();
}

// Prints what the ranks print, each line with its rank before it, and says of the rest what
// matters.
class Display {
 public:
  Display()
      : lines_({.color = Terminal::Of(STDERR_FILENO).color,
                .quiet = Terminal::Of(STDERR_FILENO).quiet},
               ToStderr()) {}

  void On(const Json& event) {
    if (event.value("event", "") != "printed") return lines_.On(event, Clock::now());
    const std::string prefix = fmt::format("[{}] ", event.value("rank", 0));
    const std::string& lines = TextAt(event, "text");
    std::string text;
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
      text.append(prefix).append(lines, at, end - at);
      at = end;
    }
    std::FILE* const to = event.value("stream", 1) == 2 ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
  }

 private:
  ProgressLines lines_;
};

Status RunTask(SessionOptions options, const MapTask& task) {
  if (!IsCluster(options.engine)) return RunHere(options, task).status();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  return session->Sql("SELECT 1 AS one").Map(task).Run().status();
}

Status Gang(const Arguments& arguments, const Invocation&) {
  PT_LET(const GangSpec gang, ReadGang(arguments));
  PT_LET(ProgramSpec spec, ReadProgram(arguments, gang));
  SessionOptions options;
  options.engine = arguments.Value("--engine", "local");
  PT_TRY(CheckHere(spec));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(const std::unique_ptr<Scratch> scratch, Scratch::MakeFor(options.engine, "here"));
  Display display;
  options.folder = scratch->path();
  options.call.stop = signals->token();
  options.call.events = [&display](const Json& event) { display.On(event); };
  const MapTask task{.task = kProgramTask,
                     .config = Dump(FieldsToJson(spec)),
                     .output = ProgramColumns(),
                     .gang = gang};
  return WithoutLogsIn(scratch->path(), RunTask(std::move(options), task));
}

}  // namespace

CommandVerb GangVerb() {
  return {
      {.name = "gang",
       .operands = {"PROGRAM", "[ARGS...]"},
       .flags = {{"--workers", "N", "how many ranks (1)", ""},
                 {"--cores", "N", "cores for each rank (1)", ""},
                 {"--gpus", "N", "devices for each rank (0)", ""},
                 {"--restarts", "N", "how often all start again when one failed (0)", ""},
                 {"--logs", "WHICH", "whose lines are shown: all, rank0 or none (all)", ""},
                 {"--env", "NAME=VALUE", "a variable for the program; may be repeated", ""},
                 {"--port", "PORT", "MASTER_PORT (a free one)", ""},
                 {"--grace", "SECONDS", "between SIGTERM and SIGKILL (10)", ""},
                 {"--deadline", "SECONDS", "how long a rank's host may be silent (60)", ""},
                 EngineFlag()},
       .says = "runs any program as ranks that start together and fail together",
       .more = "Each rank finds RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT, as with "
               "torchrun, and\nthe variables of Horovod and TensorFlow. What the ranks print is "
               "shown with [rank] before each line.\nWhen one fails the others are ended, and with "
               "--restarts all start again.\n\n"
               "  protium gang --workers 4 -- python3 train.py --epochs 3\n"},
      Gang};
}

}  // namespace protium
