// SPDX-License-Identifier: Apache-2.0
#include "model/model_version1.h"

#include "base/fault.h"
#include "pipeline/objective.h"

namespace protium {
namespace {

Json* FindEstimator(Json& pipeline) {
  for (Json& stage : pipeline) {
    if (stage.is_object() && stage.value("kind", "") == "torch_estimator") return &stage;
  }
  return nullptr;
}

Json UpgradeObjective(const std::string& label, const Json& scale) {
  ScaledLabel scaled{.column = label};
  if (scale.is_object()) {
    scaled.mean = scale.value("mean", 0.0);
    scaled.deviation = scale.value("deviation", 1.0);
  }
  return FieldsToJson(Objective{.labels = {scaled}});
}

// A version-1 model with binary_cross_entropy becomes one of values (its logit), to which neither
// that loss nor its metrics apply; the loss is irrelevant after training, so "mse" replaces it.
void RenameLoss(Json& estimator) {
  if (!estimator.contains("loss") || !PredictsLogits(Json::array({estimator}))) return;
  estimator["loss"] = "mse";
  estimator["train"].erase("metrics");
  estimator["train"].erase("best");
}

}  // namespace

bool PredictsLogits(const Json& pipeline) {
  for (const Json& stage : pipeline) {
    const Json loss = stage.is_object() ? stage.value("loss", Json()) : Json();
    const Json name = loss.is_object() ? loss.value("name", Json()) : loss;
    if (name == "binary_cross_entropy") return true;
  }
  return false;
}

Status UpgradeVersion1(ModelFiles& files) {
  Json& pipeline = files.json["pipeline.json"];
  Json& stages = files.json["stages.json"];
  if (!pipeline.is_array() || !stages.is_object()) {
    return Fail({.exit = Exit::kInput, .what = "pipeline.json or stages.json is damaged"});
  }
  Json* const estimator = FindEstimator(pipeline);
  const Json scale = stages.value("label_scale", Json());
  stages.erase("label_scale");
  if (estimator == nullptr) return Status::OK();
  const Json label = estimator->value("label", Json());
  if (!label.is_string() || !(*estimator)["train"].is_object()) {
    return Fail({.exit = Exit::kInput, .what = "the estimator in pipeline.json is damaged"});
  }
  const Json objective = UpgradeObjective(label.get<std::string>(), scale);
  stages["objective"] = objective;
  RenameLoss(*estimator);
  const auto net = files.json.find("net.json");
  if (net == files.json.end() || !net->second.is_object()) return Status::OK();
  net->second.erase("label");
  net->second.erase("label_scale");
  net->second["objective"] = objective;
  return Status::OK();
}

}  // namespace protium
