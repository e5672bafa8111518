// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/run/search_report.h"
#include "base/json.h"
#include "base/text.h"
#include "run/folder.h"
#include "run/list.h"
#include "run/terminal.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"
#include "terminal/values.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The keys that scripts rely on, in this order, and null if unknown: the line always has the same
// shape.
Json MakeResultLine(const Json& result) {
  Json line = Json::object();
  for (const char* key : {"run", "folder", "model", "outputs", "metrics", "search", "seconds",
                          "workers", "shards", "steps"}) {
    line[key] = result.value(key, Json());
  }
  Json metrics = Json::object(), seconds = Json::object();
  for (const char* set : {"validation", "test", "baseline"}) {
    metrics[set] = result.value("metrics", Json::object()).value(set, Json::object());
  }
  for (const char* part : {"total", "etl", "first_step", "train", "score"}) {
    seconds[part] = result.value("seconds", Json::object()).value(part, Json());
  }
  line["metrics"] = std::move(metrics);
  line["seconds"] = std::move(seconds);
  return line;
}

// "done in 3.0 s: etl 0.55 s, fit 0.14 s, ..."
std::string SpentText(const Json& seconds) {
  if (!seconds.contains("total")) return "done";
  std::string text = "done in " + Seconds(seconds["total"].get<double>());
  const char* before = ": ";
  for (const char* part : {"etl", "search", "fit", "train", "score"}) {
    const Json spent = seconds.value(part, Json());
    if (!spent.is_number()) continue;
    text += std::string(before) + part + " " + Seconds(spent.get<double>());
    before = ", ";
  }
  return text;
}

// "best of 12 trials (of 100; the target was reached)"
std::string CountText(const Json& search, int64_t trials) {
  const std::string by = TextAt(search, "ended_by");
  if (by.empty()) return fmt::format("best of {} trials", trials);
  const char* const why = by == "seconds"  ? "the time limit was reached"
                          : by == "target" ? "the target was reached"
                                           : "nothing improved";
  return fmt::format("best of {} trial{} (of {}; {})", trials, PluralOf(trials),
                     WholeAt(search, "of"), why);
}

// The trials that no other is better than, the best by the first metric first.
std::string FrontTable(const Json& search) {
  constexpr size_t kMost = 20;
  const Json front = search.value("front", Json::array());
  if (front.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"  front"}};
  for (const auto& [name, value] : front[0]["measured"].items()) rows[0].push_back(name);
  for (const auto& [path, value] : front[0]["values"].items()) rows[0].push_back(path);
  for (const Json& each : front) {
    if (rows.size() > kMost) break;
    rows.push_back({fmt::format("  trial {}", WholeAt(each, "trial"))});
    for (size_t i = 1; i < rows[0].size(); ++i) {
      const Json measured = each["measured"].value(rows[0][i], Json());
      rows.back().push_back(
          ValueText(measured.is_null() ? each["values"].value(rows[0][i], Json()) : measured));
    }
    if (each["trial"] == search["best"]) rows.back()[0] += " *";
  }
  std::string text = TextTable(rows);
  if (front.size() > kMost) text += fmt::format("  ... and {} more\n", front.size() - kMost);
  return text;
}

// "trial 7 of 20  rmse 14.1 +- 0.2  train.epochs = 5" and how many failed; empty without a search.
std::string SearchText(const Json& result) {
  const Json search = result.value("search", Json());
  if (!search.is_object()) return {};
  const int64_t trials = search.value("trials", int64_t{1});
  const bool chosen = trials > 1 || search.contains("ended_by");
  std::string text = chosen ? fmt::format("  {}: trial {}, ", CountText(search, trials),
                                          search.value("best", int64_t{0}))
                            : "  over folds: ";
  text += search.value("metric", "") + " " + ValueText(search.value("value", Json()));
  const Json deviation = search.value("deviation", Json());
  if (deviation.is_number()) text += fmt::format(" +- {:.2g}", deviation.get<double>());
  const Json measured = search.value("measured", Json::object());
  for (const auto& [name, value] : measured.items()) {
    if (name != TextAt(search, "metric")) text += fmt::format(", {} {}", name, ValueText(value));
  }
  const Json values = search.value("values", Json::object());
  for (const auto& [path, value] : values.items()) {
    text += fmt::format(", {} = {}", path, ValueText(value));
  }
  for (const char* end : {"pruned", "failed"}) {
    const int64_t count = search.value(end, int64_t{0});
    if (count > 0) text += fmt::format("; {} {}", count, end);
  }
  return text + "\n" + FrontTable(search);
}

// The text for people: name and times, metrics, outputs.
std::string FormatResult(const Json& result) {
  std::string text = FittedLines(fmt::format("{}  {}\n", result.value("run", ""),
                                             SpentText(result.value("seconds", Json::object())))) +
                     "\n";
  const std::string metrics = MetricsTable(result);
  if (!metrics.empty()) text += metrics + "\n";
  const std::string search = SearchText(result);
  if (!search.empty()) text += search + "\n";
  std::vector<std::vector<std::string>> rows;
  const Json counts = result.value("output_rows", Json::object());
  for (const Json& output : result["outputs"]) {
    const Json count = counts.value(output.get<std::string>(), Json());
    rows.push_back({"output", output.get<std::string>()});
    if (count.is_number()) rows.back().push_back(Grouped(count.get<int64_t>()) + " rows");
  }
  if (result["model"].is_string()) rows.push_back({"model", result["model"].get<std::string>()});
  const fs::path report = fs::path(result["folder"].get<std::string>()) / "report.html";
  if (fs::exists(report)) rows.push_back({"report", report.string()});
  return text + TextTable(rows);
}

}  // namespace

std::string MinuteText(std::string time) {
  if (const size_t t = time.find('T'); t != time.npos) time[t] = ' ';
  return time.substr(0, 16);
}

Result<std::string> RunAsText(const fs::path& run) {
  PT_LET(RunHeader header, ReadRunHeader(run));
  const RunEntry entry{.folder = run,
                       .header = header,
                       .cut_off = header.state == RunState::kRunning && !IsLocked(run)};
  std::string text = fmt::format("{}  {}  started {} UTC\n", run.filename().string(), entry.state(),
                                 MinuteText(header.started));
  const Json result = ReadResult(run);
  if (result.contains("error")) {
    text += "  error: " + result["error"].value("what", std::string()) + "\n";
  }
  const std::string metrics = MetricsTable(result);
  if (!metrics.empty()) text += "\n" + metrics;
  const std::string compared = TextAt(result, "compared");
  if (!compared.empty()) text += "  init compared " + compared + "\n";
  const std::string search = SearchAsText(run);
  if (!search.empty()) text += "\n" + search;
  if (result.contains("seconds")) {
    text += "\n";
    for (const auto& [part, seconds] : result["seconds"].items()) {
      if (!seconds.is_number()) continue;
      const std::string name = part == "first_step" ? "until step 1" : part;
      text += fmt::format("  {:<12}{}\n", name, Seconds(seconds));
    }
  }
  bool first = true;
  for (const char* file : {"model", "report.html"}) {
    if (!fs::exists(run / file)) continue;
    const std::string name = fs::path(file).stem().string();
    text += fmt::format("{}  {:<12}{}\n", first ? "\n" : "", name, (run / file).string());
    first = false;
  }
  return text;
}

Status PrintRunResult(const Json& result, bool json) {
  return PrintResult(json ? Dump(MakeResultLine(result)) + "\n" : FormatResult(result));
}

std::string ScoredRows(const Json& result) { return result.value("scored", "test rows"); }

// In a run's result these are at the top level, in a model's metrics.json below "training".
static bool OfTrees(const Json& result) {
  const Json metrics = result.value("metrics", Json::object());
  return result.contains("rounds") || metrics.value("training", Json::object()).contains("rounds");
}

std::string BestEpoch(const Json& result) {
  Json best = result.value("best_epoch", Json());
  if (best.is_null()) {
    const Json metrics = result.value("metrics", Json::object());
    best = metrics.value("training", Json::object()).value("best_epoch", Json());
  }
  const bool known = best.is_number_integer() && best.get<int64_t>() > 0;
  const char* const epoch = OfTrees(result) ? "round" : "epoch";
  return known ? fmt::format(", {} {} (the best)", epoch, Grouped(best.get<int64_t>())) : "";
}

// The columns are the metrics of the test rows, then those that only validation has. The last rows
// are the members of an average.
std::string MetricsTable(const Json& result) {
  const Json metrics = result.value("metrics", Json::object());
  std::vector<std::string> names;
  for (const char* set : {"test", "validation"}) {
    const Json values = metrics.value(set, Json::object());
    for (const auto& [name, value] : values.items()) {
      const bool known = std::find(names.begin(), names.end(), name) != names.end();
      if (name != "rows" && value.is_number() && !known) names.push_back(name);
    }
  }
  if (names.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{""}};
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (const auto& [label, set] :
       {std::pair{"  model, " + ScoredRows(result), "test"},
        std::pair{"  baseline, " + ScoredRows(result), "baseline"},
        std::pair{"  model, validation rows" + BestEpoch(result), "validation"}}) {
    const Json values = metrics.value(set, Json::object());
    if (!values.is_object() || values.empty()) continue;
    std::vector<std::string> row = {label};
    for (const std::string& name : names) row.push_back(ValueText(values.value(name, Json())));
    rows.push_back(std::move(row));
  }
  for (const Json& member : result.value("average", Json::array())) {
    const Json values = member.value("validation", Json::object());
    std::vector<std::string> row = {fmt::format(
        "  {} x {}, validation rows", member.value("weight", 0.0), member.value("kind", ""))};
    for (const std::string& name : names) row.push_back(ValueText(values.value(name, Json())));
    rows.push_back(std::move(row));
  }
  std::vector<bool> right(rows[0].size(), true);
  right[0] = false;
  return FittedTable(std::move(rows), right);
}

}  // namespace protium
