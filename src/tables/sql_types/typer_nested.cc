// SPDX-License-Identifier: Apache-2.0
// Lists, maps and structs where they are named, compared, ordered and cast.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_types/convert.h"
#include "sql_types/nested_values.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

using tree::Text;

// Replaces `value`, of type `type`, with its field or, for a map, with its value for that key.
// Unknown if there is none; then `value` stays.
SqlType TakeField(Json& value, const SqlType& type, const std::string& name) {
  if (type.IsMap() && type.Key() == SqlType::kText) {
    const Json like = value;
    value = tree::Call("pt_map_value", Json::array({like, tree::TextConstant(name)}), like);
    return type.Value();
  }
  const SqlType of = type.IsList() ? type.Element() : type;
  const int place = FindFieldOf(of, name);
  if (place < 0) return {};
  const SqlColumn field = of.Fields()[static_cast<size_t>(place)];
  if (type.IsStruct()) {
    value = tree::Field(std::move(value), field.name);
    return field.type;
  }
  const Json like = value;
  Json each = tree::Lambda("pt_part", tree::Field(tree::ColumnRef("pt_part"), field.name));
  value = tree::Call("list_transform", Json::array({like, std::move(each)}), like);
  return SqlType::ListOf(field.type);
}

// Notes in the scopes around `from`, up to the one where a column was found, that it was read.
void MarkRead(const Scope& from, const Scope* found) {
  for (const Scope* at = &from; found != nullptr && at != found; at = at->outer) {
    at->outer->read_within = true;
  }
}

}  // namespace

// A name may continue with fields: s.a of a struct, l.a of a list of structs.
Result<SqlType> Typer::Column(Json& node, const Scope& scope) {
  PT_TRY(CheckColumn(node, scope));
  const Json names = node["column_names"];
  const NamedColumn found = FindNamed(scope, names);
  MarkRead(scope, found.at);
  if (found.names == names.size() || !found.type.IsNested()) {
    return found.names == names.size() ? found.type : SqlType{};
  }
  const SqlType plain = FindColumn(scope, names);
  if (plain != SqlType::kUnknown) return plain;
  Json made = node;
  made["alias"] = "";
  made["column_names"] = Json::array();
  for (size_t i = 0; i < found.names; ++i) made["column_names"].push_back(names[i]);
  SqlType type = found.type;
  for (size_t i = found.names; i < names.size(); ++i) {
    const SqlType field = TakeField(made, type, names[i].get<std::string>());
    if (field == SqlType::kUnknown) return RefuseField(node, type, names[i].get<std::string>());
    type = field;
  }
  tree::Replace(node, std::move(made));
  return type;
}

Status Typer::RefuseField(const Json& node, const SqlType& type, const std::string& name) const {
  std::string names;
  for (const SqlColumn& field : (type.IsList() ? type.Element() : type).Fields()) {
    names += (names.empty() ? "" : ", ") + field.name;
  }
  return Refuse(node, "there is no field \"" + name + "\" in " + type.SparkName(),
                "only structs, lists of structs and maps have fields",
                names.empty() ? "" : "its fields are " + names);
}

Status Typer::RefuseCast(const Json& node, const SqlType& from, const SqlType& to) const {
  return Refuse(node, fmt::format("{} is cast to {}", from.SparkName(), to.SparkName()),
                "Spark has no such cast",
                from.IsNested() || to.IsNested()
                    ? "cast its elements or fields one by one"
                    : "cast it to a type between the two, such as text");
}

// Nested values are compared by the positions of fields, whatever their names.
Result<SqlType> Typer::UnifyNested(const std::string& what, const Json& at,
                                   const std::vector<Json*>& nodes, std::vector<SqlType> types,
                                   bool wide) {
  const auto first =
      std::find_if(types.begin(), types.end(), [](const SqlType& type) { return type.IsNested(); });
  const SqlType names = first == types.end() ? SqlType{} : *first;
  std::optional<SqlType> common = SqlType{SqlType::kNull};
  for (SqlType& type : types) {
    if (HoldsMap(type)) {
      return Refuse(at, what + " is given " + type.SparkName(), "Spark does not compare maps",
                    "compare map_entries(m), or single values m[key]");
    }
    const SqlType named = NamedLike(type, names);
    if (common) common = wide ? CommonType(*common, named) : TightType(*common, named);
  }
  if (!common) {
    return Refuse(at,
                  fmt::format("{} is given {} and {}", what, types.front().SparkName(),
                              types.back().SparkName()),
                  "Spark has no common type for them", "cast one of them");
  }
  for (size_t i = 0; i < nodes.size(); ++i) Coerce(*nodes[i], types[i], *common);
  return *common;
}

Status Typer::CompareNested(const Json& at, Json& left, Json& right,
                            const std::vector<SqlType>& types) {
  PT_LET(const SqlType common, UnifyNested("a comparison", at, {&left, &right}, types));
  const std::string type = Text(at, "type");
  const bool ordered = type.find("LESS") != std::string::npos ||
                       type.find("GREATER") != std::string::npos || type.ends_with("BETWEEN");
  if (!ordered) return Status::OK();
  // DuckDB turns a BETWEEN into two comparisons of one value, which fails for nested values: the
  // upper bound is compared within a list of one element, or null.
  const bool upper = type.find("LESS") != std::string::npos;
  for (Json* const side : {&left, &right}) {
    Json key = OrderKey(tree::Take(*side), common);
    if (upper) {
      const Json like = key;
      key = tree::Call("pt_within_list", Json::array({std::move(key)}), like);
    }
    tree::Replace(*side, std::move(key));
  }
  return Status::OK();
}

Status Typer::RequireOrder(const Json& node, const SqlType& type) const {
  if (!HoldsMap(type)) return Status::OK();
  return Refuse(node, "rows are ordered by " + type.SparkName(), "Spark does not order maps",
                "order by map_entries(m), or by single values m[key]");
}

Result<SqlType> Typer::OrderExpression(Json& node, const Scope& scope) {
  PT_LET(const SqlType type, Expression(node, scope));
  PT_TRY(RequireOrder(node, type));
  if (type.IsNested()) tree::Replace(node, OrderKey(tree::Take(node), type));
  return type;
}

// s['a'], m['k'] and (expression).a.
Result<SqlType> Typer::Extract(Json& node, const SqlType& type) {
  const std::string* const name = tree::ConstantText(node["children"][1]);
  if (name == nullptr || type == SqlType::kUnknown) return SqlType{};
  if (type == SqlType::kText) {
    return Refuse(node, "a subscript is given a text", "Spark takes subscripts of lists and maps",
                  "use substring(text, 1, 1), which counts from 1");
  }
  Json made = tree::Take(node["children"][0]);
  const std::string wanted = *name;
  const SqlType field = TakeField(made, type, wanted);
  if (field == SqlType::kUnknown) return RefuseField(node, type, wanted);
  tree::Replace(node, std::move(made));
  return field;
}

}  // namespace protium
