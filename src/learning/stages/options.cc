// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/describe.h"
#include "base/fault.h"
#include "protium/stages.h"

namespace protium {

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

// {"stage": ...} must be the only key of its object, so that a misspelt second key is noticed.
Status FromJson(const Json& json, const std::string& path, Inputs& inputs) {
  const char* const must = "a list of columns or { stage = \"id\" }";
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

Json ToJson(const Threshold& threshold) {
  return threshold.metric.empty() ? Json(threshold.at) : Json(threshold.metric);
}

Status FromJson(const Json& json, const std::string& path, Threshold& threshold) {
  if (json.is_string() && !json.get<std::string>().empty()) {
    threshold = {.metric = json.get<std::string>()};
    return Status::OK();
  }
  const double at = json.is_number() ? json.get<double>() : 0;
  if (!(at > 0 && at < 1)) {
    return fields::Refuse(path, "a probability between 0 and 1, or a metric", json);
  }
  threshold = {.at = at};
  return Status::OK();
}

FieldType DescribeType(const Threshold&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "number or metric",
          .of = {TypeOfField(double()), TypeOfField(std::string())}};
}

Status ImputerOptions::Check(const std::string& path) const {
  if (by.empty() || with != Fill::kConstant) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a constant is the same in all groups",
               .where = path + ".by",
               .fix = "leave out by, or choose another with"});
}

Status StringIndexerOptions::Check(const std::string& path) const {
  if (min_count == 1 || unseen != Unseen::kError) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "values in fewer rows than min_count count as not seen, and unseen = "
                       "\"error\" refuses those in the training rows themselves",
               .where = path + ".min_count",
               .fix = "set unseen to \"own_index\" or \"null\", or leave out min_count"});
}

FieldType DescribeType(const Inputs&) {
  using Kind = FieldType::Kind;
  const FieldType stage{.kind = Kind::kTable,
                        .fields = {{.name = "stage", .type = {.kind = Kind::kText}}}};
  return {.kind = Kind::kList,
          .words = "list of columns",
          .of = {{.kind = Kind::kEither, .of = {{.kind = Kind::kText}, stage}}}};
}

}  // namespace protium
