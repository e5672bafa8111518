// SPDX-License-Identifier: Apache-2.0
// What people and programs read about described options: words for types, JSON for tools.
#include "base/describe.h"

#include <optional>
#include <utility>

namespace protium {

namespace {

using Kind = FieldType::Kind;

void AddLimit(const char* name, const std::optional<double>& limit, Json& json) {
  if (limit) json[name] = fields::Short(*limit);
}

Json DescribedToJson(const DescribedField& described) {
  const Field& field = described.field;
  Json json = {{"name", described.name}, {"type", TypeText(described.type)}};
  if (!described.value.is_null()) json["default"] = described.value;
  for (const auto& [name, text] : {std::pair{"help", field.help}, std::pair{"unit", field.unit},
                                   std::pair{"rows_of", field.rows_of}}) {
    if (*text != 0) json[name] = text;
  }
  AddLimit("at_least", field.at_least, json);
  AddLimit("above", field.above, json);
  AddLimit("below", field.below, json);
  AddLimit("at_most", field.at_most, json);
  if (!described.type.choices.empty()) json["choices"] = described.type.choices;
  if (!described.type.fields.empty()) json["fields"] = DescribedToJson(described.type.fields);
  return json;
}

}  // namespace

std::string TypeText(const FieldType& type) {
  if (!type.words.empty()) return type.words;
  switch (type.kind) {
    case Kind::kAny:
      return "any";
    case Kind::kFlag:
      return "true or false";
    case Kind::kWhole:
      return "whole number";
    case Kind::kNumber:
      return "number";
    case Kind::kText:
      return "text";
    case Kind::kChoice:
      return fmt::format("one of {}", fmt::join(type.choices, ", "));
    case Kind::kList:
      return "list of " + TypeText(type.of.front()) +
             (type.of.front().kind == Kind::kText || type.of.front().kind == Kind::kChoice ? ""
                                                                                           : "s");
    case Kind::kEntries:
      return "named tables";
    case Kind::kTable:
      return "table";
    case Kind::kEither:
      break;
  }
  std::string text;
  for (const FieldType& each : type.of) text += (text.empty() ? "" : " or ") + TypeText(each);
  return text;
}

Json DescribedToJson(const std::vector<DescribedField>& fields) {
  Json list = Json::array();
  for (const DescribedField& each : fields) list.push_back(DescribedToJson(each));
  return list;
}

std::vector<DescribedField> Flattened(const std::vector<DescribedField>& fields,
                                      const std::string& path) {
  std::vector<DescribedField> flat;
  for (const DescribedField& each : fields) {
    const std::string name = path.empty() ? each.name : path + "." + each.name;
    if (each.type.kind != Kind::kTable) {
      flat.push_back(each);
      flat.back().name = name;
      continue;
    }
    for (DescribedField& below : Flattened(each.type.fields, name)) {
      flat.push_back(std::move(below));
    }
  }
  return flat;
}

}  // namespace protium
