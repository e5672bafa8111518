// SPDX-License-Identifier: Apache-2.0
// DuckDB defines the members of a node: src/include/duckdb/storage/serialization/*.json in its
// source lists them by class. A missing member makes json_deserialize_sql refuse the tree.
#include "sql_tree/tree.h"

#include <utility>

#include "sql_tree/tree_view.h"

namespace protium::tree {
namespace {

// The members that every expression has (ParsedExpression).
Json Node(const char* kind, const char* type, const Json& place) {
  return {{"class", kind}, {"type", type}, {"alias", ""}, {"query_location", place}};
}

Json ReadPlace(const Json& node) {
  const auto found = node.find("query_location");
  return found == node.end() ? Json(kNowhere) : *found;
}

// What a type has beyond its id, as DuckDB serialises ExtraTypeInfo.
Json TypeInfo(const char* kind) {
  return {{"type", kind}, {"alias", ""}, {"extension_info", nullptr}};
}

Json Type(const std::string& id, Json info) {
  Json type = Json::object();
  type["id"] = id;
  type["type_info"] = std::move(info);
  return type;
}

Json TypeNode(const SqlType& type);

// A struct, and the child type of a MAP: DuckDB stores maps as lists of structs of key and value.
Json StructNode(const std::vector<SqlColumn>& fields) {
  Json info = TypeInfo("STRUCT_TYPE_INFO");
  info["child_types"] = Json::array();
  for (const SqlColumn& field : fields) {
    Json child = Json::object();
    child["first"] = field.name;
    child["second"] = TypeNode(field.type);
    info["child_types"].push_back(std::move(child));
  }
  return Type("STRUCT", std::move(info));
}

Json ListNode(const std::string& id, Json child) {
  Json info = TypeInfo("LIST_TYPE_INFO");
  info["child_type"] = std::move(child);
  return Type(id, std::move(info));
}

Json TypeNode(const SqlType& type) {
  if (type.IsStruct()) return StructNode(type.Fields());
  if (type.IsList()) return ListNode("LIST", TypeNode(type.Element()));
  if (type.IsMap()) {
    const std::vector<SqlColumn> entry = {{"key", type.Key()}, {"value", type.Value()}};
    return ListNode("MAP", StructNode(entry));
  }
  if (type == SqlType::kNull) return Type("NULL", nullptr);
  if (type != SqlType::kDecimal) return Type(type.DuckName(), nullptr);
  Json info = TypeInfo("DECIMAL_TYPE_INFO");
  info["width"] = type.precision;
  info["scale"] = type.scale;
  return Type("DECIMAL", std::move(info));
}

// Counts the digits of a HUGEINT, which is serialised as two halves of 64 bits.
int HugeDigits(const Json& value) {
  auto number = static_cast<__int128>(value.value("upper", int64_t{0})) << 64;
  number |= value.value("lower", uint64_t{0});
  int digits = 0;
  for (; number != 0; number /= 10) ++digits;
  return digits;
}

Json Constant(const char* type, Json value) {
  Json node = Node("CONSTANT", "VALUE_CONSTANT", kNowhere);
  node["value"] = {{"type", {{"id", type}, {"type_info", nullptr}}},
                   {"is_null", false},
                   {"value", std::move(value)}};
  return node;
}

}  // namespace

bool IsConstant(const Json& node) { return Text(node, "class") == "CONSTANT"; }

const std::string* ConstantText(const Json& node) {
  if (!IsConstant(node) || !node.contains("value")) return nullptr;
  const Json& value = node["value"];
  if (!value.is_object() || !value.contains("value") || !value["value"].is_string()) return nullptr;
  return value["value"].get_ptr<const std::string*>();
}

bool WholeValue(const Json& node, int& value) {
  const std::string sign = Text(node, "function_name");
  if ((sign == "-" || sign == "+") && node["children"].size() == 1) {
    const bool known = WholeValue(node["children"][0], value);
    if (sign == "-") value = -value;
    return known;
  }
  if (!IsConstant(node) || !node["value"].contains("value")) return false;
  const Json& held = node["value"]["value"];
  // A decimal is serialised as its digits alone, 15 for 1.5; the scale is part of its type.
  if (!held.is_number_integer() || Text(node["value"]["type"], "id") == "DECIMAL") return false;
  const auto wide = held.get<int64_t>();
  value = static_cast<int>(wide);
  return value == wide;
}

int WholeDigits(const Json& node) {
  // 7L and 7S, as TypedLiteralRule leaves them: calls with the digits as text.
  if (Text(node, "function_name").starts_with("pt_literal_")) {
    const std::string* const text = ConstantText(node["children"][0]);
    if (text == nullptr) return 0;
    const size_t first = text->find_first_not_of("-0");
    return first == std::string::npos ? 1 : static_cast<int>(text->size() - first);
  }
  if (!IsConstant(node) || !node["value"].contains("value")) return 0;
  const std::string type = Text(node["value"]["type"], "id");
  const Json& value = node["value"]["value"];
  if (type == "HUGEINT") return HugeDigits(value);
  if (type != "INTEGER" && type != "BIGINT") return 0;
  const std::string text = Dump(value);
  return static_cast<int>(text.size()) - (text.starts_with('-') ? 1 : 0);
}

Json WholeConstant(int value) { return Constant("INTEGER", value); }
Json TextConstant(const std::string& text) { return Constant("VARCHAR", text); }

Json BooleanConstant(bool value) { return Constant("BOOLEAN", value); }

Json NullConstant() {
  Json node = Node("CONSTANT", "VALUE_CONSTANT", kNowhere);
  node["value"] = {{"type", {{"id", "NULL"}, {"type_info", nullptr}}}, {"is_null", true}};
  return node;
}

Json ColumnRef(const std::string& name) {
  Json node = Node("COLUMN_REF", "COLUMN_REF", kNowhere);
  node["column_names"] = Json::array({name});
  return node;
}

Json Star(const std::string& table) {
  Json node = Node("STAR", "STAR", kNowhere);
  node["relation_name"] = table;
  for (const char* const list :
       {"exclude_list", "replace_list", "qualified_exclude_list", "rename_list"}) {
    node[list] = Json::array();
  }
  node["columns"] = false;
  node["expr"] = nullptr;
  return node;
}

// The alias and its column names make FROM (query) AS alias(columns).
Json SelectFrom(Json list, Json query, const std::string& alias, Json columns) {
  Json inner;
  inner["node"] = std::move(query);
  inner["named_param_map"] = Json::array();
  Json table = {
      {"type", "SUBQUERY"}, {"alias", alias}, {"sample", nullptr}, {"query_location", kNowhere}};
  table["subquery"] = std::move(inner);
  table["column_name_alias"] = std::move(columns);
  Json select = {{"type", "SELECT_NODE"}, {"modifiers", Json::array()}};
  select["cte_map"]["map"] = Json::array();
  select["select_list"] = std::move(list);
  select["from_table"] = std::move(table);
  select["where_clause"] = nullptr;
  select["group_expressions"] = Json::array();
  select["group_sets"] = Json::array();
  select["aggregate_handling"] = "STANDARD_HANDLING";
  select["having"] = nullptr;
  select["sample"] = nullptr;
  select["qualify"] = nullptr;
  return select;
}

// "order_bys" is required even without any order.
Json Call(const std::string& function, Json children, const Json& like) {
  Json call = Node("FUNCTION", "FUNCTION", ReadPlace(like));
  call["function_name"] = function;
  call["schema"] = "";
  call["children"] = std::move(children);
  call["filter"] = nullptr;
  call["order_bys"] = {{"type", "ORDER_MODIFIER"}, {"orders", Json::array()}};
  call["distinct"] = false;
  call["is_operator"] = false;
  call["export_state"] = false;
  call["catalog"] = "";
  return call;
}

Json Cast(Json child, const SqlType& type, bool tried) {
  Json cast = Node("CAST", "OPERATOR_CAST", ReadPlace(child));
  cast["child"] = std::move(child);
  cast["cast_type"] = TypeNode(type);
  cast["try_cast"] = tried;
  return cast;
}

Json Case(Json condition, Json value, Json otherwise) {
  Json node = Node("CASE", "CASE_EXPR", ReadPlace(value));
  node["case_checks"] =
      Json::array({{{"when_expr", std::move(condition)}, {"then_expr", std::move(value)}}});
  node["else_expr"] = std::move(otherwise);
  return node;
}

Json Operator(const char* kind, const char* type, Json operands) {
  Json node = Node(kind, type, kNowhere);
  node["children"] = std::move(operands);
  return node;
}

Json Field(Json value, const std::string& name) {
  const Json like = value;
  return Call("struct_extract", Json::array({std::move(value), TextConstant(name)}), like);
}

Json Lambda(const std::string& parameter, Json body) {
  Json node = Node("LAMBDA", "LAMBDA", kNowhere);
  node["lhs"] = ColumnRef(parameter);
  node["expr"] = std::move(body);
  return node;
}

void ReplaceColumn(Json& node, const std::string& name, const Json& with) {
  const Kind kind = FindKind(node);
  if (kind == Kind::kColumn) {
    const Json names = node["column_names"];
    if (names.empty() || names[0] != name) return;
    Json made = with;
    // x.a is a field of what x stands for.
    for (size_t i = 1; i < names.size(); ++i) made = Field(std::move(made), names[i]);
    made["query_location"] = node["query_location"];
    Replace(node, std::move(made));
    return;
  }
  const std::string quoted = Dump(Json(name));
  if (kind == Kind::kLambda && Dump(node["lhs"]).find(quoted) != std::string::npos) return;
  if (!node.is_structured()) return;
  for (Json& child : node) ReplaceColumn(child, name, with);
}

std::vector<std::string> LambdaParameters(const Json& lambda) {
  const Json& lhs = lambda["lhs"];
  std::vector<std::string> names;
  const auto add = [&](const Json& column) {
    const Json& parts = column["column_names"];
    names.push_back(parts.empty() || !parts.back().is_string() ? ""
                                                               : parts.back().get<std::string>());
  };
  if (FindKind(lhs) != Kind::kFunction) {
    add(lhs);
    return names;
  }
  for (const Json& child : lhs["children"]) add(child);
  return names;
}

Json Comparison(const char* type, Json left, Json right) {
  Json node = Node("COMPARISON", type, ReadPlace(left));
  node["left"] = std::move(left);
  node["right"] = std::move(right);
  return node;
}

// The alias names a column of the result, which must not change.
void Replace(Json& node, Json made) {
  const std::string alias = Text(node, "alias");
  node = std::move(made);
  node["alias"] = alias;
}

Json Take(const Json& node) {
  Json taken = node;
  taken["alias"] = "";
  return taken;
}

}  // namespace protium::tree
