// SPDX-License-Identifier: Apache-2.0
#include "app/run/model_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/run/run_report.h"
#include "base/text.h"
#include "format/safetensors.h"
#include "model/drawn_forest.h"
#include "model/forest_config.h"
#include "model/model_folder.h"
#include "run/terminal.h"
#include "terminal/text_table.h"
#include "terminal/values.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostOutputs = 3;
constexpr size_t kMostColumns = 10;

std::string CountedIn(const Json& summary, const char* key, const std::string& what) {
  const int64_t count = WholeAt(summary, key);
  return fmt::format("{} {}{}", Grouped(count), what, PluralOf(count));
}

// "log-odds of y = yes", or the first few of many.
std::string OutputsText(const Json& outputs) {
  std::string text;
  for (size_t i = 0; i < std::min(outputs.size(), kMostOutputs); ++i) {
    text += (i == 0 ? "" : "; ") + outputs[i].get<std::string>();
  }
  const size_t more = outputs.size() - std::min(outputs.size(), kMostOutputs);
  return more == 0 ? text : text + fmt::format("; and {} more", more);
}

std::string SplitsTable(const Json& splits) {
  if (splits.empty()) return "\n  no tree has a split: every row gets the same prediction\n";
  std::vector<std::vector<std::string>> rows = {{"  column", "share of gain", "splits"}};
  for (const Json& each : splits) {
    if (rows.size() > kMostColumns) break;
    rows.push_back({"  " + TextAt(each, "column"),
                    fmt::format("{:.1f}%", 100 * each["gain"].get<double>()),
                    Grouped(WholeAt(each, "splits"))});
  }
  const size_t more = splits.size() - std::min(splits.size(), kMostColumns);
  const std::string text = "\n" + TextTable(rows, {false, true, true});
  return more == 0 ? text
                   : text + fmt::format("  and {} more column{}\n", more, PluralOf(int64_t(more)));
}

// Of a DrawnForest::Summary(); `loss` is what it was trained by.
std::string ForestText(const Json& summary, const std::string& loss) {
  const int64_t leaves = WholeAt(summary, "most_leaves");
  std::vector<std::vector<std::string>> rows = {
      {"  forest",
       fmt::format("{} in {}, of up to {} {} and {} deep", CountedIn(summary, "trees", "tree"),
                   CountedIn(summary, "rounds", "round"), Grouped(leaves),
                   leaves == 1 ? "leaf" : "leaves", WholeAt(summary, "depth"))},
      {"  inputs", fmt::format("{} numeric, {} categorical", WholeAt(summary, "numeric"),
                               WholeAt(summary, "categorical"))},
      {"  outputs", OutputsText(summary["outputs"])}};
  if (!loss.empty()) rows.push_back({"  loss", loss});
  return TextTable(rows) + SplitsTable(summary["splits"]);
}

// Lists only names, dtypes and shapes: numbers are read only to be hashed.
Json ListTensors(const Safetensors& file) {
  Json tensors = Json::array();
  for (const NamedTensor& each : file.tensors()) {
    tensors.push_back({{"name", each.name}, {"dtype", each.dtype}, {"shape", each.shape}});
  }
  return tensors;
}

// The name of the loss of the model's estimator; empty if it has none.
std::string LossOf(const Json& model) {
  for (const Json& stage : model.value("pipeline", Json::array())) {
    if (stage.contains("loss")) return TextAt(stage["loss"], "name");
  }
  return {};
}

// An estimator names a label, or several, where other stages name inputs.
std::string ReadText(const Json& stage) {
  if (stage.contains("inputs")) return Shown(stage["inputs"]);
  const Json labels = stage.value("labels", Json::array());
  return labels.empty() ? "label " + Shown(stage.value("label", Json()))
                        : "labels " + Shown(labels);
}

// The tensors by their names and shapes; empty for a pipeline without an estimator.
std::string TensorsText(const Json& model) {
  int64_t numbers = 0;
  std::vector<std::vector<std::string>> rows = {{"  weights", "shape"}};
  for (const Json& tensor : model.value("tensors", Json::array())) {
    int64_t size = 1;
    for (const Json& length : tensor["shape"]) size *= length.get<int64_t>();
    numbers += size;
    rows.push_back({"  " + tensor["name"].get<std::string>(), Dump(tensor["shape"])});
  }
  return numbers == 0 ? "" : TextTable(rows) + "  " + Grouped(numbers) + " numbers\n";
}

}  // namespace

Result<Json> ModelAsJson(const fs::path& folder) {
  PT_LET(const ModelFiles files, ReadModelFolder(folder));
  Json json = {{"kind", "model"}, {"path", folder.string()}};
  for (const auto& [name, content] : files.json) {
    json[fs::path(name).stem().string()] = content;
  }
  if (files.weights.empty()) return json;
  PT_LET(const Safetensors weights, Safetensors::Read(files.weights));
  json["weights_sha256"] = WeightsSha256(weights.tensors());
  json["tensors"] = ListTensors(weights);
  PT_LET(const std::optional<NetConfig> forest, ReadForestConfig(files));
  if (!forest) return json;
  PT_LET(const std::optional<DrawnForest> drawn, DrawnForest::Read(folder));
  if (drawn) json["forest"] = drawn->Summary();
  return json;
}

Result<Json> WeightsAsJson(const fs::path& file) {
  PT_LET(const Safetensors weights, Safetensors::Read(file));
  return Json{{"kind", "weights"},
              {"path", file.string()},
              {"weights_sha256", WeightsSha256(weights.tensors())},
              {"tensors", ListTensors(weights)}};
}

std::string ModelAsText(const Json& model) {
  std::string text = "model " + model["path"].get<std::string>() + "\n\n";
  std::vector<std::vector<std::string>> rows = {{"  stage", "kind", "inputs"}};
  for (const Json& stage : model.value("pipeline", Json::array())) {
    rows.push_back({"  " + Shown(stage.value("id", Json())), Shown(stage.value("kind", Json())),
                    ReadText(stage)});
  }
  text += TextTable(rows);
  const std::string learned =
      model.contains("forest") ? ForestText(model["forest"], LossOf(model)) : TensorsText(model);
  if (!learned.empty()) {
    text += "\n" + learned + "\nweights_sha256  " + TextAt(model, "weights_sha256") + "\n";
  }
  const std::string metrics = MetricsTable({{"metrics", model.value("metrics", Json::object())}});
  return metrics.empty() ? text : text + "\n" + metrics;
}

}  // namespace protium
