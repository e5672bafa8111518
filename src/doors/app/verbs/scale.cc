// SPDX-License-Identifier: Apache-2.0
// Asks a running gang for another number of workers: an elastic gang of a run, or a gang of
// programs, given by its process. The wish is a file (gang/wish.h).
#include <fmt/format.h>

#include "app/gang/sizing.h"
#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/text.h"
#include "gang/wish.h"
#include "os/file.h"
#include "protium/events.h"
#include "run/event_log.h"
#include "run/folder.h"
#include "run/run_view.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status CheckWithin(const std::string& name, const WorkerRange& range, int32_t wanted) {
  if (wanted >= range.min && wanted <= range.max) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the gang of {} has {} to {} workers, and not {}", name,
                                   range.min, range.max, wanted)});
}

Status CheckRange(const fs::path& run, int32_t wanted) {
  const auto events = ReadEvents(run / "events.jsonl");
  const auto gang = events.ok() ? MakeRunView(*events).gang : std::nullopt;
  const std::string name = run.filename().string();
  if (gang && !gang->bends) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the gang of {} has a fixed number of workers", name),
                 .fix = "start it with gang.workers = { min = 1, max = 4 }"});
  }
  const GangRange range = gang ? *gang->bends : GangRange{1, wanted};
  return CheckWithin(name, {range.min, range.max}, wanted);
}

Status ScalePrograms(const SizedGang& gang, const std::string& process, int32_t wanted) {
  PT_TRY(CheckWithin("process " + process, gang.workers, wanted));
  PT_TRY(WriteFile(gang.folder / kWorkersWanted, std::to_string(wanted) + "\n"));
  return PrintResult(
      fmt::format("process {} is asked for {} worker{}: its programs end, and start "
                  "again\n",
                  process, wanted, wanted == 1 ? "" : "s"));
}

Status NoGangOf(pid_t process) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("there is no run \"{0}\", and process {0} has no gang of programs "
                           "with a range of workers, or is another user's",
                           process),
       .fix = "protium gang --workers 1..4 ... says its process at the start"});
}

Status ScaleGang(const Arguments& arguments, const Invocation&) {
  const std::string text = arguments.num_operands() == 2 ? arguments.operand(1) : "";
  const int32_t wanted = AllAsNumber<int32_t>(text).value_or(0);
  if (wanted < 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = "scale needs a run and the number of workers that it should have",
                 .fix = "protium scale last 2"});
  }
  const pid_t process = AllAsNumber<int32_t>(arguments.operand(0)).value_or(0);
  const auto programs = process > 0 ? FindSizedGang(process) : std::nullopt;
  if (programs) return ScalePrograms(*programs, arguments.operand(0), wanted);
  auto found = FindNamedRun(arguments, arguments.operand(0), Parts::kFacts);
  if (!found.ok() && process > 0) return NoGangOf(process);
  PT_LET(const NamedRun named, found);
  const fs::path& run = named.path;
  if (!IsLocked(run)) {
    return Fail({.exit = Exit::kUsage,
                 .what = run.filename().string() + " is not running",
                 .fix = fmt::format("protium resume {} --set gang.workers={}",
                                    run.filename().string(), wanted)});
  }
  PT_TRY(CheckRange(run, wanted));
  PT_TRY(WriteFile(run / kWorkersWanted, text + "\n"));
  return PrintResult(fmt::format("{} was asked for {} worker{}: it changes after its step\n",
                                 run.filename().string(), wanted, wanted == 1 ? "" : "s"));
}

}  // namespace

CommandVerb ScaleVerb() {
  return {
      {.name = "scale",
       .operands = {"RUN", "N"},
       .flags = {RunsDirFlag()},
       .says = "changes the number of workers of a running gang",
       .more = "RUN is a run, or the process id of a `protium gang` with a range of workers.\n"},
      ScaleGang};
}

}  // namespace protium
