// SPDX-License-Identifier: Apache-2.0
// `protium status`: where a run is, from its folder: its parts with their times, and its current
// activity; with --watch, repeatedly until it ends. The page shows the same (page/story.h).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <sstream>
#include <string>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/json.h"
#include "events/events.h"
#include "os/file.h"
#include "page/live_run.h"
#include "run/printable.h"
#include "run/terminal.h"
#include "terminal/printing.h"
#include "terminal/screen.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);

// Returns the newest warnings of a run, oldest first, such as excluded devices and ranks that keep
// others waiting. Only the end of its events is searched; older warnings are history.
Json LatestWarnings(const fs::path& run) {
  constexpr int64_t kTailBytes = 256 << 10;
  constexpr size_t kMost = 3;
  std::istringstream lines(ReadTail(run / "events.jsonl", kTailBytes));
  std::deque<std::string> warnings;
  for (std::string line; std::getline(lines, line);) {
    const Event event = EventFromJson(ParseJson(line).ValueOr(Json()));
    if (const auto* const warning = std::get_if<Warning>(&event)) {
      warnings.push_back(warning->message);
    }
    if (warnings.size() > kMost) warnings.pop_front();
  }
  return warnings;
}

Result<Json> ReportStatus(LiveRun& run) {
  const std::string state = StateOfRun(run.folder());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return run.WithStory([&](const RunStory& story, int64_t) {
    Json told = story.Overview(double(millis));
    Json status = {{"run", run.folder().filename().string()}, {"state", state}};
    for (const char* key : {"parts", "progress", "now", "percent"}) status[key] = told[key];
    if (state != "running") status["now"] = nullptr;
    status["warnings"] = LatestWarnings(run.folder());
    return status;
  });
}

// "144,080 rows, 758k rows/s"
std::string RowsText(const Json& part) {
  const Json rows = part.value("rows", Json());
  const double seconds = part["seconds"].get<double>();
  if (!rows.is_number()) return "";
  std::string text = Grouped(rows.get<int64_t>()) + " rows";
  if (seconds > 0) text += ", " + Short(rows.get<double>() / seconds) + " rows/s";
  return text;
}

std::string StatusText(const Json& status) {
  std::string text =
      fmt::format("{}  {}\n", status["run"].get<std::string>(), status["state"].get<std::string>());
  for (const Json& part : status["parts"]) {
    const std::string rows = RowsText(part);
    text += fmt::format("  {:<12} {:>12}{}{}\n", part["name"].get<std::string>(),
                        Seconds(part["seconds"].get<double>()), rows.empty() ? "" : "  ", rows);
  }
  for (const Json& each : status["warnings"]) {
    text += fmt::format("warning  {}\n", Printable(each.get<std::string>()));
  }
  if (status["now"].is_string()) text += fmt::format("now  {}\n", status["now"].get<std::string>());
  return text;
}

Status ShowStatus(const Arguments& arguments, const Invocation&) {
  const std::string which = arguments.operand(0).empty() ? "last" : arguments.operand(0);
  PT_LET(const NamedRun named, FindNamedRun(arguments, which, Parts::kFacts));
  fs::path folder = fs::absolute(named.path).lexically_normal();
  LiveRun run(folder.has_filename() ? folder : folder.parent_path());
  Screen screen;
  while (true) {
    PT_LET(const Json status, ReportStatus(run));
    if (arguments.Has("--json"))
      PT_TRY(PrintResult(Dump(status) + "\n"));
    else
      PT_TRY(screen.Show(StatusText(status)));
    if (!arguments.Has("--watch") || status["state"] != "running") return Status::OK();
    screen.Wait(kLookEvery);
  }
}

}  // namespace

CommandVerb StatusVerb() {
  return {{.name = "status",
           .operands = {"[RUN]"},
           .flags = {{"--watch", "", "repeats every second until the run ends", "-w"},
                     RunsDirFlag(),
                     JsonFlag()},
           .says = "shows the progress of a run",
           .more = "  protium status\n  protium status last --watch\n"},
          ShowStatus};
}

}  // namespace protium
