// SPDX-License-Identifier: Apache-2.0
#include "model/export_forest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/forest_config.h"
#include "model/model_folder.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

Status CannotSay(const std::string& what, const std::string& fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = what + " cannot be expressed by trees alone", .fix = fix});
}

Status WithoutForest(const std::filesystem::path& model) {
  return Fail({.exit = Exit::kUsage,
               .what = "the model has no forest",
               .where = model.string(),
               .why = "only a tree_estimator makes one",
               .fix = "--to onnx"});
}

Result<OutputScale> ScaleOf(const Objective& objective, const ScaledLabel& label) {
  if (label.log1p) {
    return CannotSay("the label_scale \"log1p\" of " + label.column,
                     "--to onnx, or train with another label_scale");
  }
  if (!objective.logarithmic) return OutputScale{label.deviation, label.mean};
  if (label.mean != 0) {
    return CannotSay(fmt::format("the logarithm of {} less {}", label.column, label.mean),
                     "--to onnx, or train with label_scale = \"none\"");
  }
  return OutputScale{1, std::log(label.deviation)};  // exp(x) * deviation
}

Result<std::vector<OutputScale>> ScalesOf(const Objective& objective) {
  const Decision& decision = objective.decision;
  if (!decision.outputs.empty()) {
    return CannotSay("the calibration \"isotonic\"", "calibrate with \"temperature\"");
  }
  std::vector<OutputScale> scales;
  const int64_t outputs = objective.outputs();
  const int64_t labels = int64_t(objective.labels.size());
  for (int64_t o = 0; o < outputs; ++o) {
    if (!OfNumbers(objective.kind)) {
      scales.push_back({1 / decision.temperature, 0});
      continue;
    }
    const ScaledLabel& label = objective.labels[size_t(o * labels / outputs)];
    PT_LET(scales.emplace_back(), ScaleOf(objective, label));
  }
  return scales;
}

ForestTask TaskOf(const Objective& objective, const Json& estimator) {
  const Json loss = estimator.value("loss", Json::object());
  return {.kind = objective.kind,
          .logarithmic = objective.logarithmic,
          .loss = loss.is_string() ? loss.get<std::string>() : TextAt(loss, "name"),
          .levels = objective.levels,
          .variance_power = NumberAt(loss, "power", 1.5)};
}

std::vector<std::string> NotesOn(const NetConfig& config) {
  std::vector<std::string> notes;
  const Objective& objective = config.objective;
  std::vector<std::string> indices;
  for (const CategoricalColumn& each : config.categorical) indices.push_back(each.column);
  if (!indices.empty()) {
    notes.push_back(
        fmt::format("{} are indices: stages.json says of which values, by their position",
                    fmt::join(indices, ", ")));
  }
  if (OfClasses(objective.kind)) {
    notes.push_back(
        fmt::format("classes are numbered from 0: {}", fmt::join(objective.classes, ", ")));
  }
  if (objective.decision.cut != 0) {
    notes.push_back(fmt::format("a row counts as positive above the probability {}",
                                objective.decision.threshold()));
  }
  if (objective.levels.size() > 1) notes.push_back("quantiles of a row may not be in order");
  return notes;
}

}  // namespace

Result<ExportedForest> ExportForest(const std::filesystem::path& model) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  PT_LET(const std::optional<NetConfig> read, ReadForestConfig(files));
  if (!read) return WithoutForest(model);
  const NetConfig& config = *read;
  const auto pipeline = files.json.find("pipeline.json");
  const bool staged = pipeline != files.json.end() && pipeline->second.is_array() &&
                      !pipeline->second.empty() && pipeline->second.back().is_object();
  PT_LET(const Safetensors file, Safetensors::Read(files.weights));
  ExportedForest out{.notes = NotesOn(config)};
  PT_LET(out.carried.forest, ForestOf(file, ForestColumns(config), files.weights.string()));
  PT_LET(out.carried.scales, ScalesOf(config.objective));
  out.carried.task =
      TaskOf(config.objective, staged ? pipeline->second.back() : Json(Json::object()));
  if (out.carried.forest.outputs() == config.objective.outputs()) return out;
  return Fail({.exit = Exit::kInput,
               .what = "forest and net.json differ in the number of outputs",
               .where = model.string()});
}

}  // namespace protium
