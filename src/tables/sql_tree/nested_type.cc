// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/nested_type.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

// A name is ELEMENT[], MAP(KEY, VALUE) or STRUCT("field" TYPE, ...). Names of fields are always
// spelt in quotes here; DuckDB itself omits quotes if a name needs none.

namespace protium {
namespace {

using Kind = SqlType::Kind;

SqlType Nested(std::string name) { return {Kind::kOther, 0, 0, std::move(name)}; }

// A part of a name that is already spelt as here; FromDuck() would spell it again at every depth.
SqlType Part(std::string_view name) {
  const bool nested =
      name.ends_with("[]") || name.starts_with("MAP(") || name.starts_with("STRUCT(");
  return nested ? Nested(std::string(name)) : SqlType::FromDuck(name);
}

// The parts of "a, b, c", split by commas outside quotes and parentheses.
std::vector<std::string_view> SplitParts(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  for (std::string_view& part : parts) {
    while (part.starts_with(' ')) part.remove_prefix(1);
  }
  return parts;
}

// The text between the parentheses of MAP(...) and STRUCT(...).
std::string_view Inside(std::string_view name, std::string_view start) {
  return name.substr(start.size(), name.size() - start.size() - 1);
}

// The name at the start of a field, with or without quotes; leaves its type in `text`.
std::string TakeFieldName(std::string_view& text) {
  std::string name;
  size_t i = 0;
  if (text.starts_with('"')) {
    for (i = 1; i < text.size(); ++i) {
      if (text[i] == '"' && (i + 1 == text.size() || text[i + 1] != '"')) break;
      if (text[i] == '"') ++i;
      name += text[i];
    }
    ++i;
  } else {
    i = std::min(text.find(' '), text.size());
    name = text.substr(0, i);
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return name;
}

SqlType ParseStruct(std::string_view name) {
  std::vector<SqlColumn> fields;
  for (std::string_view part : SplitParts(Inside(name, "STRUCT("))) {
    std::string field = TakeFieldName(part);
    // A row without names has no type name to cast to.
    if (part.empty()) return {};
    fields.push_back({std::move(field), SqlType::FromDuck(part)});
  }
  return SqlType::StructOf(fields);
}

std::optional<SqlType> CommonStruct(const SqlType& a, const SqlType& b, Meeting meet) {
  std::vector<SqlColumn> fields = a.Fields();
  const std::vector<SqlColumn> others = b.Fields();
  if (fields.size() != others.size()) return std::nullopt;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (Lower(fields[i].name) != Lower(others[i].name)) return std::nullopt;
    const auto common = meet(fields[i].type, others[i].type);
    if (!common) return std::nullopt;
    fields[i].type = *common;
  }
  return SqlType::StructOf(fields);
}

}  // namespace

std::optional<SqlType> ParseNested(std::string_view name) {
  if (name.ends_with("[]")) {
    return SqlType::ListOf(SqlType::FromDuck(name.substr(0, name.size() - 2)));
  }
  if (name.starts_with("STRUCT(") && name.ends_with(')')) return ParseStruct(name);
  if (!name.starts_with("MAP(") || !name.ends_with(')')) return std::nullopt;
  const auto parts = SplitParts(Inside(name, "MAP("));
  if (parts.size() != 2) return std::nullopt;
  return SqlType::MapOf(SqlType::FromDuck(parts[0]), SqlType::FromDuck(parts[1]));
}

SqlType SqlType::ListOf(const SqlType& element) {
  return element == kUnknown ? SqlType{} : Nested(element.DuckName() + "[]");
}

SqlType SqlType::MapOf(const SqlType& key, const SqlType& value) {
  if (key == kUnknown || value == kUnknown) return {};
  return Nested("MAP(" + key.DuckName() + ", " + value.DuckName() + ")");
}

SqlType SqlType::StructOf(const std::vector<SqlColumn>& fields) {
  std::string list;
  for (const SqlColumn& field : fields) {
    if (field.type == kUnknown) return {};
    list += (list.empty() ? "" : ", ") + InQuotes(field.name, '\"') + " " + field.type.DuckName();
  }
  return fields.empty() ? SqlType{} : Nested("STRUCT(" + list + ")");
}

SqlType SqlType::Element() const {
  return IsList() ? Part(std::string_view(name).substr(0, name.size() - 2)) : SqlType{};
}

SqlType SqlType::Key() const {
  return IsMap() ? Part(SplitParts(Inside(name, "MAP("))[0]) : SqlType{};
}

SqlType SqlType::Value() const {
  return IsMap() ? Part(SplitParts(Inside(name, "MAP("))[1]) : SqlType{};
}

std::vector<SqlColumn> SqlType::Fields() const {
  std::vector<SqlColumn> fields;
  if (!IsStruct()) return fields;
  for (std::string_view part : SplitParts(Inside(name, "STRUCT("))) {
    std::string field = TakeFieldName(part);
    fields.push_back({std::move(field), Part(part)});
  }
  return fields;
}

std::string NestedSparkName(const SqlType& type) {
  if (type.IsList()) return "array<" + type.Element().SparkName() + ">";
  if (type.IsMap()) return "map<" + type.Key().SparkName() + "," + type.Value().SparkName() + ">";
  std::string list;
  for (const SqlColumn& field : type.Fields()) {
    list += (list.empty() ? "" : ",") + field.name + ":" + field.type.SparkName();
  }
  return "struct<" + list + ">";
}

std::optional<SqlType> CommonNested(const SqlType& a, const SqlType& b, Meeting meet) {
  if (a.IsStruct() && b.IsStruct()) return CommonStruct(a, b, meet);
  if (a.IsList() && b.IsList()) {
    const auto element = meet(a.Element(), b.Element());
    return element ? std::optional(SqlType::ListOf(*element)) : std::nullopt;
  }
  if (!a.IsMap() || !b.IsMap()) return std::nullopt;
  const auto key = meet(a.Key(), b.Key()), value = meet(a.Value(), b.Value());
  return key && value ? std::optional(SqlType::MapOf(*key, *value)) : std::nullopt;
}

bool HoldsMap(const SqlType& type) {
  if (type.IsMap()) return true;
  if (type.IsList()) return HoldsMap(type.Element());
  for (const SqlColumn& field : type.Fields()) {
    if (HoldsMap(field.type)) return true;
  }
  return false;
}

int FindFieldOf(const SqlType& type, std::string_view name) {
  const std::vector<SqlColumn> fields = type.Fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (Lower(fields[i].name) == Lower(name)) return static_cast<int>(i);
  }
  return -1;
}

SqlType NamedLike(const SqlType& type, const SqlType& like) {
  if (type.IsList() && like.IsList()) {
    return SqlType::ListOf(NamedLike(type.Element(), like.Element()));
  }
  if (type.IsMap() && like.IsMap()) {
    return SqlType::MapOf(NamedLike(type.Key(), like.Key()), NamedLike(type.Value(), like.Value()));
  }
  std::vector<SqlColumn> fields = type.Fields();
  const std::vector<SqlColumn> names = like.Fields();
  if (fields.empty() || fields.size() != names.size()) return type;
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i] = {names[i].name, NamedLike(fields[i].type, names[i].type)};
  }
  return SqlType::StructOf(fields);
}

bool SameButNames(const SqlType& a, const SqlType& b) { return NamedLike(a, b) == b; }

}  // namespace protium
