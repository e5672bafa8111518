// SPDX-License-Identifier: Apache-2.0
// Ends a running job in an orderly way, to be resumed later: like Ctrl-C in its terminal, but from
// any other terminal on the same machine.
#include <fmt/format.h>

#include <csignal>
#include <thread>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/call.h"
#include "base/fault.h"
#include "os/file.h"
#include "run/event_log.h"
#include "run/folder.h"
#include "run/run_view.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Longer than ranks may take to write a checkpoint and exit.
constexpr std::chrono::seconds kMostPausing{120};
constexpr std::chrono::milliseconds kPauseTick{20};

// Returns the process that holds the run's lock. Only a process that has the file open is
// signalled: the number in a file may meanwhile belong to another process, or to a process on
// another machine.
Result<pid_t> FindDriver(const fs::path& run) {
  PT_LET(const RunHeader header, ReadRunHeader(run));
  if (header.pid > 0 && HasOpen(header.pid, run / "lock")) return pid_t(header.pid);
  return Fail(
      {.exit = Exit::kEnvironment,
       .what = fmt::format("{} runs in a process that you may not stop, or on another machine",
                           run.filename().string()),
       .fix = "pause it as the same user, on the machine where it runs"});
}

Status AwaitEnd(const fs::path& run) {
  const Deadline deadline = Clock::now() + kMostPausing;
  while (IsLocked(run)) {
    if (Clock::now() >= deadline) {
      return Fail({.exit = Exit::kStalled,
                   .what = fmt::format("{} has been asked to stop and still runs after {} seconds",
                                       run.filename().string(), kMostPausing.count()),
                   .fix = "protium logs " + run.filename().string()});
    }
    std::this_thread::sleep_for(kPauseTick);
  }
  return Status::OK();
}

// Says for people from where a paused run will continue.
std::string KeptText(const fs::path& run) {
  const auto events = ReadEvents(run / "events.jsonl");
  if (!events.ok()) return "";
  const RunView view = MakeRunView(*events);
  if (view.checkpoint < 0) return "";
  return fmt::format(" after {} {}", view.trees ? "round" : "step", view.checkpoint);
}

Status PauseRun(const Arguments& arguments, const Invocation&) {
  const std::string asked = arguments.num_operands() == 1 ? arguments.operand(0) : "last";
  PT_LET(const NamedRun named, FindNamedRun(arguments, asked, Parts::kFacts));
  const fs::path& run = named.path;
  const std::string name = run.filename().string();
  if (!IsLocked(run)) {
    return Fail({.exit = Exit::kUsage, .what = name + " is not running", .fix = "protium runs"});
  }
  PT_LET(const pid_t driver, FindDriver(run));
  ::kill(driver, SIGINT);
  PT_TRY(AwaitEnd(run));
  PT_LET(const RunHeader header, ReadRunHeader(run));
  if (header.state == RunState::kDone)
    return PrintResult(name + " finished before it could be paused\n");
  return PrintResult(
      fmt::format("{0} is paused{1}\nto continue: protium resume {0}\n", name, KeptText(run)));
}

}  // namespace

CommandVerb PauseVerb() {
  return {{.name = "pause",
           .operands = {"[RUN]"},
           .flags = {RunsDirFlag()},
           .says = "stops a running job cleanly, to be resumed"},
          PauseRun};
}

}  // namespace protium
