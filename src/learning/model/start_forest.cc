// SPDX-License-Identifier: Apache-2.0
#include "model/start_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/copy_file.h"
#include "model/forest_config.h"
#include "model/start_file.h"
#include "model/start_stages.h"
#include "os/file.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr StartFile kNet = {"net.json", "start.json"};

Result<NetConfig> ReadDescription(const ModelOrStart& from) {
  const fs::path file = BesideWeights(from, kNet);
  PT_LET(const std::string text, ReadFile(file));
  const Result<Json> json = ParseJson(text);
  if (!json.ok()) return Annotate(json.status(), file.string());
  NetConfig config;
  PT_TRY(FieldsFromJson(*json, "", config));
  return config;
}

Status NoForest(const ModelOrStart& from, const std::string& where, const std::string& why) {
  return Fail({.exit = Exit::kInput,
               .what = from.model + " has no forest that trees could be added to",
               .where = where,
               .why = why,
               .fix = "name the folder of a model that a tree_estimator trained"});
}

Status Differs(const ModelOrStart& from, const std::string& what) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the forest of {} {}", from.model, what),
               .where = "train.from",
               .fix = "use the same columns and label, or leave train.from out"});
}

Status CheckColumns(const ModelOrStart& from, const NetConfig& start, const NetConfig& config) {
  const std::vector<ForestColumn> had = ForestColumns(start), has = ForestColumns(config);
  const auto [was, is] = std::ranges::mismatch(had, has);
  if (was == had.end() && is == has.end()) return Status::OK();
  if (was == had.end()) return Differs(from, "lacks the column " + is->name);
  if (is == has.end()) return Differs(from, "has the column " + was->name + ", which is not given");
  if (was->name != is->name) {
    return Differs(from, fmt::format("has the column {} where {} is given", was->name, is->name));
  }
  return Differs(from, fmt::format("knows {} categories of {}, and here there are {}",
                                   was->cardinality, was->name, is->cardinality));
}

Status CheckObjective(const ModelOrStart& from, const Objective& start,
                      const Objective& objective) {
  bool logs = start.labels.size() == objective.labels.size();
  for (size_t i = 0; logs && i < start.labels.size(); ++i) {
    logs = start.labels[i].log1p == objective.labels[i].log1p;
  }
  if (start.kind != objective.kind || start.logarithmic != objective.logarithmic || !logs ||
      start.outputs() != objective.outputs()) {
    return Differs(from, "predicts another kind of label");
  }
  if (start.classes != objective.classes) return Differs(from, "predicts other classes");
  if (start.levels != objective.levels) return Differs(from, "predicts other quantiles");
  return Status::OK();
}

// Outputs are labels on the scale of the rows that they were learned from: output o becomes
// o * factor + shift.
void Rescale(const Objective& start, const Objective& objective, Forest& forest) {
  if (!OfNumbers(objective.kind)) return;
  const auto outputs = size_t(forest.outputs()), labels = objective.labels.size();
  for (size_t o = 0; o < outputs; ++o) {
    const ScaledLabel &was = start.labels[o * labels / outputs],
                      &is = objective.labels[o * labels / outputs];
    const double factor = was.deviation / is.deviation;
    const double shift = (was.mean - is.mean) / is.deviation;
    forest.base[o] = float(forest.base[o] * factor + shift);
    for (size_t t = o; t < forest.trees.size(); t += outputs) {
      for (TreeNode& node : forest.trees[t].nodes) node.value = float(node.value * factor);
    }
  }
}

}  // namespace

Status FindStartForest(const FilesFrom& files, const std::string& path, ModelOrStart& from) {
  if (from.model.empty()) return Status::OK();
  const std::string where = path + ".train.from";
  if (!from.parameters.empty()) {
    return fields::Refuse(where + ".parameters", "left out: all trees of the forest are taken",
                          fields::Write(from.parameters));
  }
  if (from.expire_epochs > 0) {
    return fields::Refuse(where + ".expire_epochs", "left out: trees have no rows of ids",
                          from.expire_epochs);
  }
  if (from.model.starts_with(kKeptModel)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "trees are added to the forest of a model folder alone",
                 .where = where,
                 .why = "a kept training has no stages",
                 .fix = "name a model folder, or set train.continues"});
  }
  PT_TRY(FindStart(files, path, from));
  const Result<NetConfig> start = ReadDescription(from);
  if (!start.ok()) return NoForest(from, where, FaultOf(start.status()).what);
  if (start->net.name == kForest) return Status::OK();
  return NoForest(from, where, "it has the net " + start->net.name);
}

Status KeepStartForest(const fs::path& run, ModelOrStart& from) {
  if (from.weights.empty()) return Status::OK();
  PT_TRY(CopyFile(BesideWeights(from, kNet), fs::absolute(run / kNet.kept)).status());
  PT_TRY(KeepStartStages(run, from));
  return KeepStart(run, from);
}

Result<Forest> ReadStartForest(const ModelOrStart& from, const NetConfig& config) {
  if (from.weights.empty()) return Forest();
  PT_LET(const NetConfig start, ReadDescription(from));
  PT_TRY(CheckColumns(from, start, config));
  PT_TRY(CheckObjective(from, start.objective, config.objective));
  PT_LET(const Safetensors file, Safetensors::Read(from.weights));
  PT_LET(Forest forest, ForestOf(file, ForestColumns(start), from.weights));
  if (forest.outputs() != config.objective.outputs()) {
    return Differs(from, "does not fit its description");
  }
  Rescale(start.objective, config.objective, forest);
  return forest;
}

}  // namespace protium
