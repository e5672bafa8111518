// SPDX-License-Identifier: Apache-2.0
// `protium top`: all running runs, one line each, refreshed until Ctrl-C.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "page/live_run.h"
#include "run/list.h"
#include "run/terminal.h"
#include "terminal/printing.h"
#include "terminal/screen.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr auto kTopEvery = std::chrono::seconds(1);
using Followed = std::map<fs::path, std::unique_ptr<LiveRun>>;

// Returns the running runs, each with its RunStory::Overview().
Json ReportRunning(const fs::path& runs, Followed& followed) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  Json list = Json::array();
  Followed still;
  for (const RunEntry& entry : ListRuns(runs)) {
    if (entry.state() != "running") continue;
    auto& run = followed[entry.folder];
    if (run == nullptr) run = std::make_unique<LiveRun>(entry.folder);
    const auto told = run->WithStory(
        [&](const RunStory& story, int64_t) { return story.Overview(double(millis)); });
    still[entry.folder] = std::move(run);
    if (!told.ok()) continue;
    const Json& parts = (*told)["parts"];
    list.push_back({{"run", entry.folder.filename().string()},
                    {"pid", entry.header.pid},
                    {"part", parts.empty() ? Json() : parts.back()["name"]},
                    {"progress", (*told)["progress"]},
                    {"rows_per_second", (*told)["rows_per_second"]},
                    {"wait_share", (*told)["wait_share"]},
                    {"now", (*told)["now"]}});
  }
  followed = std::move(still);
  return list;
}

std::vector<std::string> TopRow(const Json& run) {
  const Json& progress = run["progress"];
  std::string step = "-";
  if (progress.is_object()) {
    step = fmt::format("{}/{}", progress["step"].get<int64_t>(), progress["steps"].get<int64_t>());
  }
  const bool trains = progress.is_object();
  return {run["run"].get<std::string>(),
          std::to_string(run["pid"].get<int64_t>()),
          run["part"].is_string() ? run["part"].get<std::string>() : "-",
          step,
          trains ? Short(run["rows_per_second"].get<double>()) : "-",
          trains ? fmt::format("{:.0f}%", 100 * run["wait_share"].get<double>()) : "-"};
}

std::string TopText(const Json& list, const fs::path& runs) {
  if (list.empty()) return fmt::format("no runs in progress in {}\n", runs.string());
  std::vector<std::vector<std::string>> rows = {
      {"run", "process", "part", "step", "rows/s", "waiting"}};
  for (const Json& run : list) rows.push_back(TopRow(run));
  return TextTable(rows, {false, true, false, true, true, true});
}

Status ShowTop(const Arguments& arguments, const Invocation&) {
  const fs::path runs = fs::absolute(KnownRuns(arguments)).lexically_normal();
  Followed followed;
  Screen screen;
  const bool again = Terminal::Of(STDOUT_FILENO).live && !arguments.Has("--once");
  while (true) {
    const Json list = ReportRunning(runs, followed);
    if (arguments.Has("--json")) return PrintResult(Dump(list) + "\n");
    PT_TRY(screen.Show(TopText(list, runs)));
    if (!again) return Status::OK();
    screen.Wait(kTopEvery);
  }
}

}  // namespace

CommandVerb TopVerb() {
  return {
      {.name = "top",
       .operands = {},
       .flags = {{"--once", "", "prints once, even on a terminal", ""}, RunsDirFlag(), JsonFlag()},
       .says = "shows all runs in progress, one line each",
       .more = "Ctrl-C stops it. Where stdout is not a terminal it prints once.\n"},
      ShowTop};
}

}  // namespace protium
