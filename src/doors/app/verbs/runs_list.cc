// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "app/run/named_run.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "app/verbs/runs.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "os/fd.h"
#include "run/list.h"
#include "run/summary.h"
#include "run/terminal.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// "running, step 120 of 800".
std::string FormatState(const Json& summary) {
  const std::string state = summary["state"].get<std::string>();
  if (!summary.contains("progress")) return state;
  const Json& progress = summary["progress"];
  return fmt::format("{}, {} {} of {}", state, progress.contains("trees") ? "round" : "step",
                     progress["step"].get<int64_t>(), progress["steps"].get<int64_t>());
}

// Returns the name of the first test metric, the most important one for the job; "-" if there is
// none.
std::string FindFirstMetric(const Json& summary) {
  const Json test = summary["metrics"].value("test", Json::object());
  for (const auto& [name, value] : test.items()) {
    if (name != "rows") return name;
  }
  return "-";
}

// Returns the value of a metric on a set of rows, such as "test" or "baseline"; "-" if there is
// none.
std::string MetricText(const Json& summary, const char* set, const std::string& name) {
  const Json& metrics = summary["metrics"];
  // A run may have no baseline.
  if (!metrics.contains(set) || !metrics[set].is_object()) return "-";
  const Json value = metrics[set].value(name, Json());
  return value.is_number() ? fmt::format("{:.4f}", value.get<double>()) : "-";
}

// The value that --sort compares; runs without a metric come last.
double TestValue(const Json& summary) {
  const Json test = summary["metrics"].value("test", Json::object());
  const Json value = test.value(FindFirstMetric(summary), Json());
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

// Ascending, as suits error metrics: for other metrics the best come last.
Status SortBy(const std::string& key, std::vector<Json>& runs) {
  const std::vector<std::string> known = {"started", "name", "state", "test"};
  if (std::ranges::find(known, key) == known.end())
    return UnknownName("sort key", key, known, "--sort");
  const auto less = [&](const Json& a, const Json& b) {
    if (key == "test") return TestValue(a) < TestValue(b);
    const char* const by = key == "name" ? "run" : key.c_str();
    return a[by].get<std::string>() < b[by].get<std::string>();
  };
  std::ranges::stable_sort(runs, less);
  return Status::OK();
}

// Applies --state and --name, sorts by --sort, and cuts to --limit.
Result<std::vector<Json>> Chosen(const Arguments& arguments, const std::vector<RunEntry>& entries) {
  const std::string state = arguments.Value("--state"), name = arguments.Value("--name");
  const std::vector<std::string> states = {"done", "failed", "stopped", "running", "cut off"};
  if (!state.empty() && std::ranges::find(states, state) == states.end()) {
    return UnknownName("run state", state, states, "--state");
  }
  std::vector<Json> runs;
  for (const RunEntry& entry : entries) {
    if (!state.empty() && entry.state() != state) continue;
    if (!entry.folder.filename().string().starts_with(name)) continue;
    runs.push_back(SummaryOfRun(entry));
  }
  const std::string key = arguments.Value("--sort", "started");
  PT_TRY(SortBy(key, runs));
  PT_LET(const int64_t limit, arguments.Number("--limit", int64_t(runs.size())));
  const auto most = std::min(size_t(limit), runs.size());
  // The latest are at the end; by another key the best are at the beginning.
  const auto spare = std::ptrdiff_t(runs.size() - most);
  if (key == "started")
    runs.erase(runs.begin(), runs.begin() + spare);
  else
    runs.erase(runs.end() - spare, runs.end());
  return runs;
}

std::vector<std::string> Row(const Json& summary) {
  const std::string metric = FindFirstMetric(summary);
  std::string tags;
  for (const Json& tag : summary["tags"])
    tags += (tags.empty() ? "" : ", ") + tag.get<std::string>();
  return {summary["run"].get<std::string>(),
          FormatState(summary),
          MinuteText(summary["started"].get<std::string>()),
          metric,
          MetricText(summary, "test", metric),
          MetricText(summary, "baseline", metric),
          tags};
}

// A missing folder means that there are no runs; one that cannot be read may contain some.
Status CheckReadable(const fs::path& runs) {
  std::error_code error;
  const fs::directory_iterator first(runs, error);
  if (!error || error == std::errc::no_such_file_or_directory) return Status::OK();
  return SystemFault("read the runs in " + runs.string(), error.value());
}

}  // namespace

// Prints one line for each run: its state, and its most important metric beside the baseline's;
// --json has both in full.
Status ListTheRuns(const Arguments& arguments) {
  PT_LET(const fs::path folder, FindRuns(arguments));
  PT_TRY(CheckReadable(folder));
  const std::vector<RunEntry> entries = ListRuns(folder);
  PT_LET(const std::vector<Json> runs, Chosen(arguments, entries));
  if (arguments.Has("--json")) return PrintResult(Dump(Json(runs)) + "\n");
  constexpr int kStarted = 2;
  constexpr int32_t kWidthWithTimes = 79;
  std::vector<std::vector<std::string>> rows = {
      {"run", "state", "started (UTC)", "metric", "test", "baseline", "tags"}};
  bool tagged = false;
  for (const Json& run : runs) {
    rows.push_back(Row(run));
    tagged = tagged || !rows.back().back().empty();
  }
  if (!tagged) {
    for (auto& row : rows) row.pop_back();
  }
  // On a narrow terminal whole names are more useful than times.
  const bool narrow =
      isatty(STDOUT_FILENO) == 1 && Terminal::Of(STDOUT_FILENO).width < kWidthWithTimes;
  std::vector<bool> right = {false, false, false, false, true, true, false};
  for (auto& row : rows) {
    if (narrow) row.erase(row.begin() + kStarted);
  }
  if (narrow) right.erase(right.begin() + kStarted);
  if (!runs.empty()) {
    PT_TRY(PrintResult(FittedTable(std::move(rows), right)));
  }
  const std::string place = IsOnStore(RunsDir(arguments))
                                ? RunsDir(arguments)
                                : fs::absolute(folder).lexically_normal().string();
  std::string count = entries.empty() ? "no" : std::to_string(entries.size());
  if (runs.size() < entries.size()) count = fmt::format("{} of {}", runs.size(), entries.size());
  PrintNote(fmt::format("{} run{} in {}\n", count, entries.size() == 1 ? "" : "s", place));
  return Status::OK();
}

}  // namespace protium
