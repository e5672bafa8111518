// SPDX-License-Identifier: Apache-2.0
#include "page/run_responses.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "model/drawn_forest.h"
#include "os/file.h"
#include "page/run_files.h"
#include "run/labels.h"
#include "run/shards_text.h"
#include "run/summary.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kLogTail = 4 << 10;  // Bytes of a failed rank's log.

double NowMillis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return double(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

// Returns the member of an object; null if there is none or `json` is something else.
Json At(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

// Copies the members that exist.
Json Chosen(const Json& from, std::initializer_list<const char*> keys) {
  Json chosen = Json::object();
  for (const char* key : keys) {
    Json value = At(from, key);
    if (!value.is_null()) chosen[key] = std::move(value);
  }
  return chosen;
}

Result<Json> ReadList(const fs::path& file) {
  PT_LET(const std::string text, ReadTextFile(file));
  return ParseJson(text);
}

// Returns the bytes of all input files, as far as the run has recorded them.
double InputBytes(const fs::path& run) {
  const Json inputs = ReadList(run / "inputs.json").ValueOr(Json());
  double bytes = 0;
  if (!inputs.is_array()) return 0;
  for (const Json& each : inputs) {
    const Json size = At(each, "bytes");
    if (size.is_number()) bytes += size.get<double>();
  }
  return bytes;
}

// Returns the log that a failure names, if any.
Json FailedLog(const fs::path& run, const Json& error) {
  const std::string where = TextAt(error, "where");
  const size_t at = where.rfind("logs/");
  if (at == where.npos) return {};
  const std::string name = where.substr(at, where.find_first_of(" ,;", at) - at);
  const Result<Json> file = ReadRunFile(run, name, -1);
  if (!file.ok()) return {};
  return {{"path", name}, {"lines", ReadTail(run / name, kLogTail)}};
}

Json FailureOf(const fs::path& run, const Json& result) {
  Json failure = At(result, "error");
  if (!failure.is_object() || failure.empty()) return {};
  const Json log = FailedLog(run, failure);
  if (!log.is_null()) failure["log"] = log;
  return failure;
}

// Returns what run.json and the folder itself contain.
Json HeadOf(const fs::path& run, const RunHeader& header) {
  const RunLabels labels = ReadLabels(run);
  return {{"run", run.filename().string()},
          {"name", header.name},
          {"state", StateOfRun(run)},
          {"started", header.started},
          {"ended", header.ended},
          {"pid", header.pid},
          {"argv", header.argv},
          {"folder", fs::absolute(run).lexically_normal().string()},
          {"tags", labels.tags},
          {"note", labels.note},
          {"input_bytes", InputBytes(run)},
          {"has",
           {{"trials", fs::exists(run / "trials.json")},
            {"model", fs::exists(run / "model" / "model.json")},
            {"report", fs::exists(run / "report.html")}}}};
}

}  // namespace

Result<Json> OverviewOf(LiveRun& run) {
  const fs::path& folder = run.folder();
  PT_LET(const RunHeader header, ReadRunHeader(folder));
  const Json result = ReadResult(folder), job = ReadJson(folder / "job.json");
  Json json = HeadOf(folder, header);
  json["engine"] = At(At(job, "plan"), "engine");
  json["failure"] = FailureOf(folder, result);
  json["result"] = Chosen(
      result, {"metrics", "seconds", "rows", "steps", "workers", "shards", "wait_share",
               "best_epoch", "weights_sha256", "outputs", "output_rows", "model", "memory",
               "labels", "scored", "baseline_column", "rows_on_disk_bytes", "search", "rounds"});
  const auto read = [&](const RunStory& story, int64_t behind) {
    Json facts = story.Overview(NowMillis());
    facts["behind_bytes"] = behind;
    return facts;
  };
  PT_LET(const Json facts, run.WithStory(read));
  json.update(facts);
  return json;
}

namespace {

// Marks the epoch, or the round of trees, whose weights the model has; null if none was chosen.
Json KeptMark(const fs::path& run) {
  const Json result = ReadResult(run);
  const Json best = At(result, "best_epoch"), history = At(result, "history");
  if (!best.is_number_integer() || best == 0 || !history.is_array()) return {};
  for (const Json& epoch : history) {
    const Json step = At(epoch, "step");
    if (At(epoch, "epoch") != best || !step.is_number()) continue;
    const char* const what = result.contains("rounds") ? "kept: round " : "kept: epoch ";
    return {{"step", step}, {"text", what + Grouped(best.get<int64_t>())}};
  }
  return {};
}

}  // namespace

Result<Json> MetricsOf(LiveRun& run, size_t most) {
  PT_LET(Json curves, run.WithStory([&](const RunStory& story, int64_t behind) {
    Json facts = story.Curves(most);
    facts["behind_bytes"] = behind;
    return facts;
  }));
  if (Json kept = KeptMark(run.folder()); !kept.is_null()) {
    curves["marks"].push_back(std::move(kept));
  }
  return curves;
}

Json SettingsOf(const fs::path& run) {
  const Json job = ReadJson(run / "job.json");
  return {{"settings", At(job, "settings")},
          {"versions", At(job, "versions")},
          {"file", At(job, "file")},
          {"argv", At(ReadJson(run / "run.json"), "argv")}};
}

Json PlanOf(const fs::path& run) {
  const Json job = ReadJson(run / "job.json");
  Json plan = Chosen(At(job, "plan"), {"engine", "tree", "sql", "not_exact", "stages", "pipeline",
                                       "placement", "training"});
  const Json asked = At(job, "job");
  plan["tables"] = At(asked, "tables");
  plan["split"] = At(asked, "split");
  plan["etl_sql"] = At(At(asked, "etl"), "sql");
  if (const Json training = At(plan, "training"); training.is_object() && !training.empty()) {
    plan["shards_text"] = ShardsText(training);
  }
  plan["inputs"] = ReadList(run / "inputs.json").ValueOr(Json());
  plan["schema"] = ReadJson(run / "model" / "schema.json");
  return plan;
}

Json ModelOf(const fs::path& run) {
  const Json result = ReadResult(run);
  Json model =
      Chosen(result, {"labels", "classes", "metrics", "diagnostics", "importance", "splits",
                      "history", "fingerprint", "best_epoch", "weights_sha256", "rows", "steps",
                      "scored", "baseline_column", "model", "output_rows"});
  model["net"] = ReadJson(run / "model" / "net.json");
  model["about"] = ReadJson(run / "model" / "model.json");
  const Json pipeline = At(At(ReadJson(run / "job.json"), "job"), "pipeline");
  model["estimator"] = pipeline.is_array() && !pipeline.empty() ? pipeline.back() : Json();
  model["input"] = At(ReadJson(run / "model" / "schema.json"), "input");
  const Json all = ListRunFiles(run);
  Json files = Json::array();
  for (const Json& file : all["files"]) {
    if (TextAt(file, "path").starts_with("model/")) files.push_back(file);
  }
  model["files"] = std::move(files);
  return model;
}

namespace {

Result<std::optional<DrawnForest>> ReadForest(const fs::path& run) {
  std::error_code none;
  if (!fs::exists(run / "model" / "model.json", none)) return std::nullopt;
  return DrawnForest::Read(run / "model");
}

}  // namespace

Result<Json> ForestOf(const fs::path& run) {
  PT_LET(const std::optional<DrawnForest> forest, ReadForest(run));
  return forest ? forest->Outline() : Json(Json::object());
}

Result<Json> TreeOf(const fs::path& run, int64_t tree) {
  PT_LET(const std::optional<DrawnForest> forest, ReadForest(run));
  return forest ? forest->TreeAt(tree) : Result<Json>(Json::object());
}

namespace {

// Turns a flat object for each run into rows with a value for each: differing rows first, and among
// these, those that every run has first.
Json RowsOf(const std::vector<Json>& columns, bool all) {
  std::vector<std::string> order;
  for (const Json& column : columns) {
    for (const auto& [key, value] : column.items()) {
      if (std::ranges::find(order, key) == order.end()) order.push_back(key);
    }
  }
  Json differ = Json::array(), same = Json::array();
  for (const std::string& key : order) {
    Json values = Json::array();
    for (const Json& column : columns) values.push_back(column.value(key, Json()));
    const bool equal = std::ranges::all_of(values, [&](const Json& v) { return v == values[0]; });
    (equal ? same : differ).push_back({{"key", key}, {"values", std::move(values)}});
  }
  const auto in_all = [](const Json& row) {
    return std::ranges::none_of(row["values"], [](const Json& value) { return value.is_null(); });
  };
  std::stable_partition(differ.begin(), differ.end(), in_all);
  if (all) differ.insert(differ.end(), same.begin(), same.end());
  return differ;
}

Json FlatSettings(const fs::path& run) {
  Json flat = Json::object();
  for (const Json& each : At(ReadJson(run / "job.json"), "settings")) {
    flat[TextAt(each, "key")] = At(each, "value");
  }
  return flat;
}

Json FlatNumbers(const Json& tree, const char* key) {
  Json flat = Json::object();
  const Json part = At(tree, key);
  if (!part.is_object()) return flat;
  for (const auto& [name, value] : part.items()) {
    if (value.is_number()) flat[name] = value;
    if (!value.is_object()) continue;
    for (const auto& [inner, number] : value.items()) {
      if (number.is_number()) flat[name + " " + inner] = number;
    }
  }
  return flat;
}

}  // namespace

Json DifferencesOf(const std::vector<fs::path>& runs) {
  Json names = Json::array();
  std::vector<Json> settings, metrics, seconds;
  for (const fs::path& run : runs) {
    const Json result = ReadResult(run);
    names.push_back({{"run", run.filename().string()},
                     {"state", StateOfRun(run)},
                     {"weights_sha256", At(result, "weights_sha256")}});
    settings.push_back(FlatSettings(run));
    metrics.push_back(FlatNumbers(result, "metrics"));
    seconds.push_back(FlatNumbers(result, "seconds"));
  }
  return {{"runs", std::move(names)},
          {"settings", RowsOf(settings, false)},
          {"metrics", RowsOf(metrics, true)},
          {"seconds", RowsOf(seconds, true)}};
}

}  // namespace protium
