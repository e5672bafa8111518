// SPDX-License-Identifier: Apache-2.0
#include "base/describe.h"
#include "recipe/losses.h"
#include "recipe/nets.h"
#include "recipe/training.h"

namespace protium {

Json ToJson(const Named& named) {
  Json json = {{"name", named.name}};
  for (const auto& [key, value] : named.options.items()) json[key] = value;
  return json;
}

// A table without a name is laid over the choice that is there, so `named` is input as well.
Status FromJson(const Json& json, const std::string& path, Named& named) {
  if (json.is_string()) {
    named = {json.get<std::string>(), Json::object()};
    return Status::OK();
  }
  const bool names = json.is_object() && json.contains("name");
  if (!json.is_object() || (names ? !json["name"].is_string() : named.name.empty())) {
    return fields::Refuse(path, "a name, or a table with a name and its options", json);
  }
  if (names) named = {json["name"].get<std::string>(), Json::object()};
  for (const auto& [key, value] : json.items()) {
    if (key != "name") named.options[key] = value;
  }
  return Status::OK();
}

FieldType DescribeType(const Named&) { return {.words = "name, or table with a name"}; }

// Whether the classes exist is known only once the label has been read (WeightsOf in objective.cc).
Status CrossEntropyOptions::Check(const std::string& path) const {
  bool fits = class_weights == "none" || class_weights == "balanced" || class_weights.is_object();
  for (const auto& weight : class_weights.is_object() ? class_weights : Json::object()) {
    fits = fits && weight.is_number() && weight.get<double>() > 0;
  }
  if (fits) return Status::OK();
  return fields::Refuse(path + ".class_weights",
                        "\"none\", \"balanced\", or a table of classes with weights above 0",
                        class_weights);
}

Status SgdOptions::Check(const std::string& path) const {
  if (!nesterov || momentum > 0) return Status::OK();
  return fields::Refuse(path + ".nesterov", "left out without momentum", nesterov);
}

Json ToJson(const ModelOrStart& start) { return fields::Write<StartOptions>(start); }

Status FromJson(const Json& json, const std::string& path, ModelOrStart& start) {
  if (!json.is_string()) return fields::ReadObject<StartOptions>(json, path, start);
  start.model = json.get<std::string>();
  return Status::OK();
}

FieldType DescribeType(const ModelOrStart&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "text or table",
          .of = {TypeOfField(std::string()), TypeOfField(StartOptions())}};
}

Status TrainOptions::Check(const std::string& path) const {
  const auto refuse = [&](const char* key, std::string must, const Json& got) {
    return fields::Refuse(path + key, must, got);
  };
  if (warm_up.steps > 0 && warm_up.share > 0) {
    return refuse(".warm_up.share", "left out where warm_up.steps is given", warm_up.share);
  }
  if (early_stopping.patience > 0 && validation.share == 0) {
    return refuse(".early_stopping.patience", "0 without validation rows: set validation.share",
                  early_stopping.patience);
  }
  return Status::OK();
}

Named TabularMlp(const TabularMlpOptions& options) { return NamedOf("tabular_mlp", options); }
Named TorchScript(const TorchScriptOptions& options) { return NamedOf("torchscript", options); }
Named Linear() { return {"linear"}; }

Named Huber(const HuberOptions& options) { return NamedOf("huber", options); }
Named MeanSquaredError() { return {"mse"}; }
Named MeanAbsoluteError() { return {"mae"}; }
Named Poisson() { return {"poisson"}; }
Named BinaryCrossEntropy(const BinaryCrossEntropyOptions& options) {
  return NamedOf("binary_cross_entropy", options);
}
Named CrossEntropy(const CrossEntropyOptions& options) { return NamedOf("cross_entropy", options); }

Named Adam(const AdamOptions& options) { return NamedOf("adam", options); }
Named AdamW(const AdamWOptions& options) { return NamedOf("adamw", options); }
Named Sgd(const SgdOptions& options) { return NamedOf("sgd", options); }
Named Adagrad(const AdagradOptions& options) { return NamedOf("adagrad", options); }
Named Rmsprop(const RmspropOptions& options) { return NamedOf("rmsprop", options); }

Named ConstantRate() { return {"constant"}; }
Named StepSchedule(const StepScheduleOptions& options) { return NamedOf("step", options); }
Named Cosine(const CosineOptions& options) { return NamedOf("cosine", options); }
Named OneCycle(const OneCycleOptions& options) { return NamedOf("one_cycle", options); }
Named ReduceOnPlateau(const ReduceOnPlateauOptions& options) {
  return NamedOf("reduce_on_plateau", options);
}

}  // namespace protium
