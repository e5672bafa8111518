// SPDX-License-Identifier: Apache-2.0
// `protium runs`: lists the runs in --runs-dir, shows one, or compares two. It only reads the
// folders, so it can look at a run while that goes on, or that was killed.
#include <fmt/format.h>

#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "run/event_log.h"
#include "run/events.h"
#include "run/list.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// How far a run that is not done has come, from its events; null if it has not begun to train or
// its events cannot be read.
Json ReadProgress(const RunEntry& entry) {
  if (entry.header.state == RunState::kDone) return {};
  const auto events = ReadEvents(entry.folder / "events.jsonl");
  if (!events.ok()) return {};
  const RunView view = MakeRunView(*events);
  if (view.steps == 0) return {};
  return {{"step", view.step},
          {"steps", view.steps},
          {"epoch", view.epoch},
          {"epochs", view.epochs},
          {"checkpoint", view.checkpoint}};
}

// "running, step 120 of 800".
std::string FormatState(const Json& summary) {
  const std::string state = summary["state"].get<std::string>();
  if (!summary.contains("progress")) return state;
  const Json& progress = summary["progress"];
  return fmt::format("{}, step {} of {}", state, progress["step"].get<int64_t>(),
                     progress["steps"].get<int64_t>());
}

// A run as --json lists it; the table of the text is made from this.
Json Summary(const RunEntry& entry) {
  Json json = {{"run", entry.folder.filename().string()},
               {"state", entry.state()},
               {"started", entry.header.started},
               {"folder", entry.folder.string()}};
  const Json progress = ReadProgress(entry);
  if (!progress.is_null()) json["progress"] = progress;
  // Empty until the run is done.
  json["metrics"] = ReadResult(entry.folder).value("metrics", Json::object());
  return json;
}

// The name of the first test metric, the one that the job cares about most; "-" if there is none.
std::string FindFirstMetric(const Json& summary) {
  const Json test = summary["metrics"].value("test", Json::object());
  for (const auto& [name, value] : test.items()) {
    if (name != "rows") return name;
  }
  return "-";
}

// The value of a metric on a set of rows, such as "test" or "baseline"; "-" if there is none.
std::string MetricText(const Json& summary, const char* set, const std::string& name) {
  const Json& metrics = summary["metrics"];
  // A run may have no baseline.
  if (!metrics.contains(set) || !metrics[set].is_object()) return "-";
  const Json value = metrics[set].value(name, Json());
  return value.is_number() ? fmt::format("{:.4f}", value.get<double>()) : "-";
}

// One line for each run: its state, and its most important metric beside the baseline's, each as
// --json has it in full.
Status List(const Arguments& arguments) {
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"run", "state", "started", "metric", "test", "baseline"}};
  for (const RunEntry& entry : ListRuns(RunsDir(arguments))) {
    all.push_back(Summary(entry));
    const std::string metric = FindFirstMetric(all.back());
    rows.push_back({entry.folder.filename().string(), FormatState(all.back()), entry.header.started,
                    metric, MetricText(all.back(), "test", metric),
                    MetricText(all.back(), "baseline", metric)});
  }
  if (arguments.Has("--json")) return PrintResult(Dump(all) + "\n");
  if (all.empty()) PrintNote("no runs in " + RunsDir(arguments) + "\n");
  return all.empty() ? Status::OK()
                     : PrintResult(TextTable(rows, {false, false, false, false, true, true}));
}

// What `inspect RUN` shows; without a name the last run.
Status Show(const Arguments& arguments) {
  const std::string which = arguments.operand(1).empty() ? "last" : arguments.operand(1);
  PT_LET(const fs::path run, FindRun(RunsDir(arguments), which));
  if (arguments.Has("--json")) return PrintResult(Dump(RunAsJson(run)) + "\n");
  PT_LET(const std::string text, RunAsText(run));
  return PrintResult(text);
}

Status Compare(const Arguments& arguments) {
  if (arguments.num_operands() != 3) {
    return Fail({.exit = Exit::kUsage,
                 .what = "runs compare needs two runs",
                 .fix = "protium runs compare last~1 last"});
  }
  PT_LET(const fs::path a, FindRun(RunsDir(arguments), arguments.operand(1)));
  PT_LET(const fs::path b, FindRun(RunsDir(arguments), arguments.operand(2)));
  const Json compared = CompareRuns(a, b);
  if (arguments.Has("--json")) return PrintResult(Dump(compared) + "\n");
  return PrintResult(ComparedAsText(compared));
}

// The first operand is a verb of its own.
Status ShowRuns(const Arguments& arguments, const Invocation& invocation) {
  const std::string what = arguments.operand(0).empty() ? "list" : arguments.operand(0);
  if (what == "list" && arguments.num_operands() < 2) return List(arguments);
  if (what == "show" && arguments.num_operands() < 3) return Show(arguments);
  if (what == "compare") return Compare(arguments);
  const std::vector<std::string> known = {"list", "show", "compare"};
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("unknown command \"{}\" of runs", what),
               .fix = Suggest(what, known)});
}

}  // namespace

CommandVerb RunsVerb() {
  return {{.name = "runs",
           .operands = {"[list|show|compare]", "[RUN]", "[RUN]"},
           .flags = {JsonFlag(), RunsDirFlag()},
           .says = "the runs so far: list, show one, compare two",
           .more = "A run is given as `last`, `last~1`, the beginning of its name, or its folder.\n"
                   "\n  protium runs compare last~1 last\n"},
          ShowRuns};
}

}  // namespace protium
