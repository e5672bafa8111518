// SPDX-License-Identifier: Apache-2.0
// The CSV options that have special forms in job files: a text or a list of texts, and types by
// column name.
#include "column/source.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/describe.h"

namespace protium {

using Kind = FieldType::Kind;

// What the text of cells can be parsed as.
constexpr std::string_view kTypes[] = {"string", "int64", "float64", "bool", "date", "timestamp"};

Json ToJson(const NullTexts& texts) {
  if (texts.empty()) return "";
  return texts.all.size() == 1 ? Json(texts.all.front()) : Json(texts.all);
}

Status FromJson(const Json& json, const std::string& path, NullTexts& texts) {
  std::vector<std::string> all;
  const bool list = json.is_array();
  if (!list && !json.is_string()) return fields::Refuse(path, "text or a list of texts", json);
  for (const Json& each : list ? json : Json::array({json})) {
    if (!each.is_string()) return fields::Refuse(path, "text or a list of texts", json);
    all.push_back(each.get<std::string>());
  }
  texts = NullTexts(std::move(all));
  return Status::OK();
}

FieldType DescribeType(const NullTexts&) {
  return {.kind = Kind::kEither,
          .of = {{.kind = Kind::kText}, {.kind = Kind::kList, .of = {{.kind = Kind::kText}}}}};
}

Json ToJson(const ColumnTypes& types) {
  Json json = Json::object();
  for (const auto& [column, type] : types.all) json[column] = type;
  return json;
}

Status FromJson(const Json& json, const std::string& path, ColumnTypes& types) {
  if (!json.is_object()) return fields::Refuse(path, "a table of types by column", json);
  types.all.clear();
  for (const auto& [column, type] : json.items()) {
    const std::string at = path + "." + column;
    const bool known = type.is_string() && std::find(std::begin(kTypes), std::end(kTypes),
                                                     type.get<std::string>()) != std::end(kTypes);
    if (!known) {
      return fields::Refuse(at, "one of string, int64, float64, bool, date, timestamp", type);
    }
    types.all.emplace_back(column, type.get<std::string>());
  }
  return Status::OK();
}

FieldType DescribeType(const ColumnTypes&) {
  return {.kind = Kind::kEntries, .words = "table of types", .of = {{.kind = Kind::kText}}};
}

}  // namespace protium
