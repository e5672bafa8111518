// SPDX-License-Identifier: Apache-2.0
#include "job/forecast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "job/row_counts.h"
#include "run/folder.h"
#include "run/list.h"
#include "run/summary.h"
#include "run/terminal.h"
#include "terminal/text_table.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// What a worker takes before its first row: mostly LibTorch's libraries.
constexpr int64_t kWorkerBytes = int64_t{160} << 20;
// In addition to each packed row: its key, and more while rows are sorted (docs/rows.md).
constexpr int64_t kBytesBesideRow = 40;
constexpr const char* kParts[] = {"etl", "search", "fit", "train", "score"};

std::optional<fs::path> LatestDone(const fs::path& runs, const std::string& job) {
  std::optional<fs::path> found;
  for (const RunEntry& each : ListRuns(runs)) {
    if (each.header.name == job && each.state() == "done") found = each.folder;
  }
  return found;
}

std::map<std::string, Json> ByKey(const Json& settings) {
  std::map<std::string, Json> all;
  if (!settings.is_array()) return all;
  for (const Json& each : settings) {
    if (each.is_object()) all[TextAt(each, "key")] = each.value("value", Json());
  }
  return all;
}

// Whether the time and the memory of a run do not depend on it, or are scaled by it elsewhere.
bool IsBeside(const std::string& key) {
  constexpr const char* kBeside[] = {"name",          "outputs.",         "train.epochs",
                                     "trees.rounds",  "train.early_",     "train.keep",
                                     "train.seed",    "train.best",       "split.seed",
                                     "engine.spill",  "train.checkpoint", "search.trials",
                                     "folds.k",       "folds.repeats",    "search.seconds",
                                     "search.target", "search.patience",  "search.least"};
  return std::ranges::any_of(kBeside, [&](const char* each) { return key.starts_with(each); });
}

std::vector<std::string> Differing(const std::map<std::string, Json>& then,
                                   const std::map<std::string, Json>& now) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : now) {
    const auto found = then.find(key);
    if (!IsBeside(key) && (found == then.end() || found->second != value)) keys.push_back(key);
  }
  for (const auto& [key, value] : then) {
    if (!IsBeside(key) && !now.contains(key)) keys.push_back(key);
  }
  return keys;
}

// Returns how many times as large the run's input files are now; 1 if unknown.
double Growth(const fs::path& run) {
  const Result<std::string> text = ReadTextFile(run / "inputs.json");
  const Json files = text.ok() ? ParseJson(*text).ValueOr(Json()) : Json();
  double then = 0, now = 0;
  for (const Json& each : files.is_array() ? files : Json::array()) {
    if (!each.is_object()) return 1;
    std::error_code error;
    const auto bytes = fs::file_size(TextAt(each, "path"), error);
    if (error) return 1;
    now += double(bytes);
    then += NumberAt(each, "bytes");
  }
  return then > 0 ? now / then : 1;
}

double EpochsIn(const std::map<std::string, Json>& settings) {
  auto found = settings.find("train.epochs");
  if (found == settings.end()) found = settings.find("trees.rounds");
  return found != settings.end() && found->second.is_number() ? found->second.get<double>() : 0;
}

// How to scale a run's seconds to the next run.
struct Scale {
  double tables = 1;    // Factor of the amount to read.
  double learning = 0;  // Seconds that training spent on epochs; the rest is startup.
  double epochs = 1;    // Factor of their number.
  double fits = 1;      // Factor of a search's fits.
  double budget = 0;    // Of a search, in seconds; 0: none.

  double Within(double seconds) const { return budget > 0 ? std::min(seconds, budget) : seconds; }
  double Of(const std::string& part, double seconds) const {
    if (part == "search") return Within(seconds * tables * epochs * fits);
    if (part != "train") return seconds * tables;
    return seconds - learning + learning * tables * epochs;
  }
};

// Predicts the duration of a search's fits from a run without a search.
double SearchByOneFit(const Json& seconds, const Json& search, const Scale& scale) {
  double one = 0;
  for (const char* part : {"fit", "train", "score"}) one += scale.Of(part, NumberAt(seconds, part));
  // Each fit of a population trains for one generation alone.
  const Json population = search.value("population", Json::object());
  one /= std::max(NumberAt(population, "generations"), 1.0);
  return scale.Within(one * NumberAt(search, "fits") / std::max(NumberAt(search, "parallel"), 1.0));
}

// Training may stop early; with another number of epochs it may go through all of them.
Json ByRun(const fs::path& run, const Json& settings, const Json& plan) {
  const Json result = ReadResult(run);
  const Json seconds = result.value("seconds", Json::object());
  const Json history = result.value("history", Json::array());
  const auto then = ByKey(ReadJson(run / "job.json").value("settings", Json()));
  const auto now = ByKey(settings);
  Scale scale{.tables = Growth(run)};
  if (!history.empty()) scale.learning = NumberAt(history.back(), "seconds");
  const bool other_epochs =
      !history.empty() && EpochsIn(now) > 0 && EpochsIn(then) != EpochsIn(now);
  if (other_epochs) scale.epochs = EpochsIn(now) / double(history.size());
  const Json search = plan.value("search", Json());
  const double fits_then = NumberAt(result.value("search", Json()), "fits");
  scale.budget = NumberAt(search, "seconds");
  if (fits_then > 0) scale.fits = NumberAt(search, "fits") / fits_then;
  Json forecast = {{"run", run.filename().string()}, {"seconds", Json::object()}};
  double rest = NumberAt(seconds, "total"), total = 0;
  if (NumberAt(search, "fits") > 0 && !result.contains("search")) {
    total = SearchByOneFit(seconds, search, scale);
    forecast["seconds"]["search"] = total;
  }
  for (const char* part : kParts) {
    const double spent = NumberAt(seconds, part);
    if (spent == 0) continue;
    rest -= spent;
    const double now_spent = scale.Of(part, spent);
    if (now_spent > 0) forecast["seconds"][part] = now_spent;
    total += now_spent;
  }
  forecast["seconds"]["total"] = total + std::max(rest, 0.0);
  if (result.contains("memory")) forecast["memory"] = result["memory"];
  if (result.contains("workers")) forecast["workers"] = result["workers"];
  if (scale.tables != 1) forecast["tables"] = scale.tables;
  if (other_epochs) forecast["epochs"] = EpochsIn(now);
  const std::vector<std::string> differs = Differing(then, now);
  if (!differs.empty()) forecast["differs"] = differs;
  return forecast;
}

// The SQL may return more rows than its largest table, or fewer.
Json BySizes(const Json& plan) {
  const Json training = plan.value("training", Json::object());
  if (training.empty()) return Json::object();
  Json forecast = {{"workers", training.value("workers", 1)},
                   {"memory", {{"worker_bytes", kWorkerBytes}}}};
  int64_t rows = 0;
  for (const Json& each : plan.value("tables", Json::array())) {
    rows = std::max(rows, each.value("rows", int64_t{0}));
  }
  if (rows == 0 || !training.contains("row_bytes")) return forecast;
  forecast["memory"]["rows"] = rows;
  forecast["memory"]["rows_bytes"] =
      rows * (training["row_bytes"].get<int64_t>() + kBytesBesideRow);
  return forecast;
}

std::string WorkersText(const Json& forecast) {
  const Json workers = forecast.value("workers", Json(1));
  if (!workers.is_number()) return "each worker";
  return workers == 1 ? "one worker" : fmt::format("each of {} workers", Dump(workers));
}

std::string TimeText(const Json& forecast) {
  if (!forecast.contains("run")) return "unknown until this job has run once";
  const Json& seconds = forecast["seconds"];
  std::string text = fmt::format("{} {}", forecast.contains("epochs") ? "at most" : "about",
                                 Seconds(seconds["total"].get<double>()));
  const char* before = ": ";
  for (const char* part : kParts) {
    if (!seconds.contains(part)) continue;
    text += fmt::format("{}{} {}", before, part, Seconds(seconds[part].get<double>()));
    before = ", ";
  }
  text += ", by the run " + forecast["run"].get<std::string>();
  if (forecast.contains("tables")) {
    text +=
        fmt::format("; its tables are {:.2g} times as large now", forecast["tables"].get<double>());
  }
  if (!forecast.contains("differs")) return text;
  std::vector<std::string> keys = forecast["differs"].get<std::vector<std::string>>();
  const size_t all = keys.size();
  keys.resize(std::min<size_t>(all, 3));
  text += fmt::format("; then with another {}", fmt::join(keys, ", "));
  return all > keys.size() ? text + fmt::format(" and {} more", all - keys.size()) : text;
}

std::string MemoryText(const Json& forecast) {
  const Json memory = forecast.value("memory", Json::object());
  const auto bytes = [&](const char* key) { return BytesText(NumberAt(memory, key)); };
  std::vector<std::string> parts;
  if (memory.contains("driver_bytes")) parts.push_back(bytes("driver_bytes") + " in this process");
  if (memory.contains("worker_bytes")) {
    parts.push_back(bytes("worker_bytes") + " in " + WorkersText(forecast));
  }
  if (memory.contains("rows_bytes")) {
    parts.push_back(fmt::format("{} for the rows of all workers, if the SQL returns {} rows",
                                bytes("rows_bytes"), Grouped(memory["rows"].get<int64_t>())));
  }
  return parts.empty() ? "" : fmt::format("about {}", fmt::join(parts, ", "));
}

}  // namespace

Json Forecast(const fs::path& runs, const std::string& job, const Json& settings,
              const Json& plan) {
  const std::optional<fs::path> run = LatestDone(runs, job);
  return run ? ByRun(*run, settings, plan) : BySizes(plan);
}

std::string ForecastText(const Json& forecast, size_t width) {
  std::string text;
  for (const auto& [name, says] :
       {std::pair{"time", TimeText(forecast)}, std::pair{"memory", MemoryText(forecast)}}) {
    std::string line = fmt::format("{:<8}", name);
    for (const std::string& each :
         says.empty() ? std::vector<std::string>() : Wrapped(says, width - 10)) {
      text += "  " + line + each + "\n";
      line = std::string(8, ' ');
    }
  }
  return text;
}

}  // namespace protium
