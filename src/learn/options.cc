// SPDX-License-Identifier: Apache-2.0
#include "learn/options.h"

#include <utility>

#include "base/describe.h"

namespace protium {
namespace {

template <class T>
Named NamedOf(std::string name, const T& options) {
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

FieldType DescribeType(const Inputs&) {
  using Kind = FieldType::Kind;
  const FieldType stage{.kind = Kind::kTable,
                        .fields = {{.name = "stage", .type = {.kind = Kind::kText}}}};
  return {.kind = Kind::kList,
          .words = "list of columns",
          .of = {{.kind = Kind::kEither, .of = {{.kind = Kind::kText}, stage}}}};
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

Named TabularMlp(const TabularMlpOptions& options) { return NamedOf("tabular_mlp", options); }
Named Huber(const HuberOptions& options) { return NamedOf("huber", options); }
Named MeanSquaredError() { return {"mse"}; }
Named MeanAbsoluteError() { return {"mae"}; }
Named Poisson() { return {"poisson"}; }
Named BinaryCrossEntropy(const BinaryCrossEntropyOptions& options) {
  return NamedOf("binary_cross_entropy", options);
}
Named CrossEntropy(const CrossEntropyOptions& options) { return NamedOf("cross_entropy", options); }
Named TorchScript(const TorchScriptOptions& options) { return NamedOf("torchscript", options); }
Named Linear() { return {"linear"}; }
Named Adam(const AdamOptions& options) { return NamedOf("adam", options); }
Named Sgd(const SgdOptions& options) { return NamedOf("sgd", options); }

}  // namespace protium
