// SPDX-License-Identifier: Apache-2.0
#include "learn/options.h"

#include <utility>

#include "base/describe.h"

namespace protium {
namespace {

// The options are complete, defaults included.
template <class T>
Choice MakeChoice(std::string name, const T& options) {
  return {std::move(name), FieldsToJson(options)};
}

}  // namespace

Inputs::Inputs(std::initializer_list<const char*> columns) {
  for (const char* column : columns) push_back({.column = column});
}

Inputs::Inputs(const Columns& columns) {
  for (const std::string& column : columns) push_back({.column = column});
}

Inputs OutputsOf(std::string stage) {
  Inputs inputs;
  inputs.push_back({.stage = std::move(stage)});
  return inputs;
}

Inputs operator+(Inputs a, const Inputs& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Json ToJson(const Inputs& inputs) {
  Json list = Json::array();
  for (const Input& input : inputs) {
    list.push_back(input.stage.empty() ? Json(input.column) : Json({{"stage", input.stage}}));
  }
  return list;
}

// {"stage": ...} must be alone in its object: a misspelt second key would otherwise pass unnoticed.
Status FromJson(const Json& json, const std::string& path, Inputs& inputs) {
  const char* const must = "a list of columns, or of { stage = \"id\" }";
  if (!json.is_array()) return fields::Refuse(path, must, json);
  inputs.clear();
  for (size_t i = 0; i < json.size(); ++i) {
    const Json& item = json[i];
    const bool stage =
        item.is_object() && item.size() == 1 && item.contains("stage") && item["stage"].is_string();
    if (!stage && !item.is_string()) {
      return fields::Refuse(path + "." + std::to_string(i), "a column, or { stage = \"id\" }",
                            item);
    }
    inputs.push_back(stage ? Input{.stage = item["stage"].get<std::string>()}
                           : Input{.column = item.get<std::string>()});
  }
  return Status::OK();
}

Json ToJson(const Choice& choice) {
  Json json = {{"name", choice.name}};
  for (const auto& [key, value] : choice.options.items()) json[key] = value;
  return json;
}

// A table without a name is laid over the choice that is there, so `choice` is input as well.
Status FromJson(const Json& json, const std::string& path, Choice& choice) {
  if (json.is_string()) {
    choice = {json.get<std::string>(), Json::object()};
    return Status::OK();
  }
  const bool names = json.is_object() && json.contains("name");
  if (!json.is_object() || (names ? !json["name"].is_string() : choice.name.empty())) {
    return fields::Refuse(path, "a name, or a table with a name and its options", json);
  }
  if (names) choice = {json["name"].get<std::string>(), Json::object()};
  for (const auto& [key, value] : json.items()) {
    if (key != "name") choice.options[key] = value;
  }
  return Status::OK();
}

FieldType DescribeType(const Inputs&) {
  using Kind = FieldType::Kind;
  const FieldType stage{.kind = Kind::kTable,
                        .fields = {{.name = "stage", .type = {.kind = Kind::kText}}}};
  return {.kind = Kind::kList,
          .words = "list of columns",
          .of = {{.kind = Kind::kEither, .of = {{.kind = Kind::kText}, stage}}}};
}

FieldType DescribeType(const Choice&) { return {.words = "name, or table with a name"}; }

// Whether the classes exist is known only once the label has been read (WeighClasses in
// objective.cc).
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

Choice TabularMlp(const TabularMlpOptions& options) { return MakeChoice("tabular_mlp", options); }
Choice Huber(const HuberOptions& options) { return MakeChoice("huber", options); }
Choice MeanSquaredError() { return {"mse"}; }
Choice MeanAbsoluteError() { return {"mae"}; }
Choice Poisson() { return {"poisson"}; }
Choice BinaryCrossEntropy(const BinaryCrossEntropyOptions& options) {
  return MakeChoice("binary_cross_entropy", options);
}
Choice CrossEntropy(const CrossEntropyOptions& options) {
  return MakeChoice("cross_entropy", options);
}
Choice TorchScript(const TorchScriptOptions& options) { return MakeChoice("torchscript", options); }
Choice Linear() { return {"linear"}; }
Choice Adam(const AdamOptions& options) { return MakeChoice("adam", options); }
Choice Sgd(const SgdOptions& options) { return MakeChoice("sgd", options); }

}  // namespace protium
