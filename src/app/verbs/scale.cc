// SPDX-License-Identifier: Apache-2.0
// Asks a running gang that bends for another number of workers. The wish is a file in the run's
// folder, which the run looks for while it trains.
#include <fmt/format.h>

#include <charconv>

#include "app/verb.h"
#include "base/fault.h"
#include "gang/roster.h"
#include "os/file.h"
#include "run/event_log.h"
#include "run/folder.h"
#include "run/list.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// What the run says of its newest gang; null where it has started none yet.
Json NewestGang(const fs::path& run) {
  const auto events = ReadEvents(run / "events.jsonl");
  if (!events.ok()) return nullptr;
  for (auto event = events->rbegin(); event != events->rend(); ++event) {
    if (event->value("event", "") == "gang_start") return *event;
  }
  return nullptr;
}

Status CheckRange(const fs::path& run, const std::string& text, int32_t wanted) {
  const Json gang = NewestGang(run);
  const std::string name = run.filename().string();
  if (gang.is_object() && !gang.contains("bends")) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the gang of {} has a fixed number of workers", name),
                 .fix = "start it with gang.workers = { min = 1, max = 4 }"});
  }
  const Json range = gang.is_object() ? gang["bends"] : Json::object();
  const int32_t min = range.value("min", 1), max = range.value("max", wanted);
  if (wanted >= min && wanted <= max) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the gang of {} has {} to {} workers, and not {}", name, min,
                                   max, text)});
}

Status ScaleGang(const Arguments& arguments, const Invocation&) {
  const std::string text = arguments.num_operands() == 2 ? arguments.operand(1) : "";
  int32_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (error != std::errc() || end != text.data() + text.size() || wanted < 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = "scale needs a run and the number of workers that it should have",
                 .fix = "protium scale last 2"});
  }
  PT_LET(const fs::path run, FindRun(RunsDir(arguments), arguments.operand(0)));
  if (!IsLocked(run)) {
    return Fail({.exit = Exit::kUsage,
                 .what = run.filename().string() + " is not running",
                 .fix = fmt::format("protium resume {} --set gang.workers={}",
                                    run.filename().string(), wanted)});
  }
  PT_TRY(CheckRange(run, text, wanted));
  PT_TRY(WriteFile(run / kWorkersWanted, text + "\n"));
  return PrintResult(fmt::format("{} is asked for {} worker{}: it changes after a step\n",
                                 run.filename().string(), wanted, wanted == 1 ? "" : "s"));
}

}  // namespace

CommandVerb ScaleVerb() {
  return {{.name = "scale",
           .operands = {"RUN", "N"},
           .flags = {RunsDirFlag()},
           .says = "changes the number of workers of a running gang"},
          ScaleGang};
}

}  // namespace protium
