// SPDX-License-Identifier: Apache-2.0
#include "sql/rewrite.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/fault.h"
#include "sql/java_pattern.h"

namespace protium {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

const Names& Casts() {
  static const Names casts = {{"BIGINT", "pt_to_bigint"},
                              {"INTEGER", "pt_to_integer"},
                              {"SMALLINT", "pt_to_smallint"},
                              {"TINYINT", "pt_to_tinyint"},
                              {"VARCHAR", "pt_to_text"},
                              {"BOOLEAN", "pt_to_boolean"},
                              {"DOUBLE", "pt_to_double"},
                              {"FLOAT", "pt_to_float"},
                              {"DATE", "pt_to_date"},
                              {"TIMESTAMP", "pt_to_timestamp"},
                              {"TIMESTAMP WITH TIME ZONE", "pt_to_timestamp"}};
  return casts;
}

const Names& TryCasts() {
  static const Names casts = {{"BIGINT", "pt_try_bigint"},
                              {"INTEGER", "pt_try_integer"},
                              {"SMALLINT", "pt_try_smallint"},
                              {"TINYINT", "pt_try_tinyint"},
                              {"VARCHAR", "pt_to_text"},
                              {"BOOLEAN", "pt_try_boolean"},
                              {"DOUBLE", "pt_try_double"},
                              {"FLOAT", "pt_try_float"},
                              {"DATE", "pt_try_date"},
                              {"TIMESTAMP", "pt_try_timestamp"},
                              {"TIMESTAMP WITH TIME ZONE", "pt_try_timestamp"}};
  return casts;
}

const Names& TypeCalls() {
  static const Names calls = {{"bigint", "pt_to_bigint"},
                              {"int", "pt_to_integer"},
                              {"smallint", "pt_to_smallint"},
                              {"tinyint", "pt_to_tinyint"},
                              {"double", "pt_to_double"},
                              {"float", "pt_to_float"},
                              {"string", "pt_to_text"},
                              {"boolean", "pt_to_boolean"},
                              {"date", "pt_to_date"},
                              {"timestamp", "pt_to_timestamp"},
                              {"char", "chr"},
                              {"array", "list_value"},
                              {"filter", "list_filter"},
                              {"transform", "list_transform"}};
  return calls;
}

const Names& Likes() {
  static const Names likes = {
      {"~~", "pt_like"}, {"!~~", "pt_not_like"}, {"~~*", "pt_ilike"}, {"!~~*", "pt_not_ilike"}};
  return likes;
}

std::string TextOf(const Json& node, const char* key) {
  if (!node.is_object()) return "";
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// The text of a constant; nullptr for everything else.
const std::string* ConstantText(const Json& node) {
  if (TextOf(node, "class") != "CONSTANT" || !node.contains("value")) return nullptr;
  const Json& value = node["value"];
  if (!value.is_object() || !value.contains("value") || !value["value"].is_string()) return nullptr;
  return value["value"].get_ptr<const std::string*>();
}

Json Constant(const std::string& text) {
  return {{"class", "CONSTANT"},
          {"type", "VALUE_CONSTANT"},
          {"alias", ""},
          {"query_location", UINT64_MAX},
          {"value",
           {{"type", {{"id", "VARCHAR"}, {"type_info", nullptr}}},
            {"is_null", false},
            {"value", text}}}};
}

// A call that stands where `node` stood.
Json Call(const std::string& function, Json children, const Json& node) {
  Json call = {{"class", "FUNCTION"}, {"type", "FUNCTION"}};
  call["alias"] = TextOf(node, "alias");
  call["query_location"] = node.value("query_location", Json(UINT64_MAX));
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

// A literal such as DATE '2013-07-04' reads alike everywhere.
bool IsPlainLiteral(const Json& child, const std::string& type) {
  const std::string* const text = ConstantText(child);
  if (text == nullptr) return false;
  if (type == "VARCHAR") return true;
  const bool digits = text->find_first_not_of("0123456789-: .") == std::string::npos;
  const size_t length = text->size();
  return digits && ((type == "DATE" && length == 10) || (type == "TIMESTAMP" && length >= 19));
}

bool RewriteCast(Json& node) {
  if (!node.contains("cast_type") || !node.contains("child")) return false;
  const bool tried = node.value("try_cast", false);
  const Names& casts = tried ? TryCasts() : Casts();
  const std::string type = TextOf(node["cast_type"], "id");
  const auto found = casts.find(type);
  if (found == casts.end() || IsPlainLiteral(node["child"], type)) return false;
  node = Call(found->second, Json::array({node["child"]}), node);
  return true;
}

Status RefusePattern(const std::string& function, const std::string& pattern) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = function + " is not the same on every engine for the pattern '" + pattern + "'",
       .why = "it holds a letter of Java's that the embedded engine has no field for",
       .fix = "use letters of y, M, d, H, h, k, K, m, s, S, a and D, to write also E and Q"});
}

const Names& ByPattern() {
  static const Names functions = {{"date_format", "pt_format_time"},
                                  {"from_unixtime", "pt_format_seconds"},
                                  {"to_date", "pt_parse_date"},
                                  {"to_timestamp", "pt_parse_time"},
                                  {"to_unix_timestamp", "pt_parse_seconds"},
                                  {"try_to_date", "pt_try_parse_date"},
                                  {"try_to_timestamp", "pt_try_parse_time"},
                                  {"unix_timestamp", "pt_parse_seconds"}};
  return functions;
}

// date_format(x, 'yyyy'), to_date(s, 'dd/MM/yyyy'), to_timestamp(s, '...').
Result<bool> RewritePattern(Json& node, const std::string& name) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const std::string* const pattern = ConstantText(children[1]);
  if (pattern == nullptr) return RefusePattern(name, "...");
  const std::string& function = ByPattern().find(name)->second;
  const bool written = function.starts_with("pt_format");
  if (!ReadJavaPattern(*pattern, written ? PatternUse::kWrite : PatternUse::kRead)) {
    return RefusePattern(name, *pattern);
  }
  node = Call(function, children, node);
  return true;
}

bool RewriteDatePart(Json& node) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const std::string* const part = ConstantText(children[0]);
  if (part == nullptr) return false;
  const std::string name = Lower(*part);
  const char* const function = name == "dow" || name == "dayofweek"           ? "dayofweek"
                               : name == "dow_iso" || name == "dayofweek_iso" ? "pt_isodow"
                               : name == "second" || name == "seconds"        ? "pt_second"
                               : name == "yearofweek"                         ? "pt_isoyear"
                                                                              : nullptr;
  node = function == nullptr ? Call("date_part", children, node)
                             : Call(function, Json::array({children[1]}), node);
  return true;
}

// DuckDB is quicker with a pattern that is known and escapes nothing.
bool RewriteLike(Json& node, const std::string& name) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const std::string* const pattern = ConstantText(children[1]);
  const bool plain = pattern != nullptr && pattern->find('\\') == std::string::npos;
  if (plain && !name.ends_with('*')) return false;
  node = Call(Likes().find(name)->second, Json::array({children[0], children[1], Constant("\\")}),
              node);
  return true;
}

bool RewriteCount(Json& node) {
  Json& children = node["children"];
  if (children.size() < 2) return false;
  const Json all = Call("pt_all", children, Json::object());
  children = Json::array({all});
  return true;
}

uint64_t PlaceOf(const Json& node) {
  const auto found = node.find("query_location");
  return found != node.end() && found->is_number_unsigned() ? found->get<uint64_t>() : UINT64_MAX;
}

// trim(letters, text) takes its letters first in Spark. The parser reads TRIM(letters FROM text) as
// a call with the text first, and only the places tell the two apart.
Result<bool> RewriteTrim(Json& node, const std::string& name) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const uint64_t first = PlaceOf(children[0]), second = PlaceOf(children[1]);
  if (first == UINT64_MAX || second == UINT64_MAX) {
    return Fail({.exit = Exit::kUsage,
                 .what = "it is open which argument of \"" + name + "\" holds the letters",
                 .why = "Spark takes them first and the embedded engine last",
                 .fix = "use btrim(text, letters)"});
  }
  if (first > second) return false;
  std::swap(children[0], children[1]);
  return true;
}

Json Operator(const char* kind, const char* type, Json children) {
  return {{"class", kind},
          {"type", type},
          {"alias", ""},
          {"query_location", UINT64_MAX},
          {"children", std::move(children)}};
}

// collect_list and its kin leave out nulls and are empty where nothing is left.
bool RewriteCollected(Json& node, const std::string& name) {
  Json list = node;
  list["function_name"] = "list";
  list["alias"] = "";
  if (name == "collect_set") list["distinct"] = true;
  const Json there =
      Operator("OPERATOR", "OPERATOR_IS_NOT_NULL", Json::array({node["children"][0]}));
  const bool filtered = node.contains("filter") && !node["filter"].is_null();
  list["filter"] =
      filtered ? Operator("CONJUNCTION", "CONJUNCTION_AND", Json::array({node["filter"], there}))
               : there;
  node = Call("pt_or_empty", Json::array({list}), node);
  return true;
}

// Conditions that are not true do not count, also where there is no other.
bool RewriteCountIf(Json& node) {
  Json& children = node["children"];
  if (children.size() != 1) return false;
  Json no = Constant("false");
  no["value"] = {
      {"type", {{"id", "BOOLEAN"}, {"type_info", nullptr}}}, {"is_null", false}, {"value", false}};
  node["function_name"] = "count";
  children = Json::array({Call("nullif", Json::array({children[0], no}), Json::object())});
  return true;
}

// named_struct('a', 1): DuckDB takes the names of the fields from those of the arguments.
Result<bool> RewriteNamedStruct(Json& node) {
  const Json& children = node["children"];
  Json fields = Json::array();
  for (size_t i = 0; i + 1 < children.size(); i += 2) {
    const std::string* const name = ConstantText(children[i]);
    if (name == nullptr) {
      return Fail({.exit = Exit::kUsage,
                   .what = "a name in named_struct is not written out",
                   .why = "the type of a column has to be known before the query runs",
                   .fix = "write the names as texts"});
    }
    fields.push_back(children[i + 1]);
    fields.back()["alias"] = *name;
  }
  node = Call("struct_pack", std::move(fields), node);
  return true;
}

// struct(a, 1) has the fields a and col2.
bool RewriteStruct(Json& node) {
  Json fields = node["children"];
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!TextOf(fields[i], "alias").empty()) continue;
    const bool column = TextOf(fields[i], "class") == "COLUMN_REF";
    fields[i]["alias"] = column ? fields[i]["column_names"].back().get<std::string>()
                                : "col" + std::to_string(i + 1);
  }
  node = Call("struct_pack", std::move(fields), node);
  return true;
}

// Takes one from every use of the name `parameter`, but within functions with such a one
// themselves.
void CountFromZero(Json& node, const Json& parameter) {
  if (TextOf(node, "class") == "COLUMN_REF" && node["column_names"] == parameter) {
    Json one = Constant("1");
    one["value"] = {
        {"type", {{"id", "INTEGER"}, {"type_info", nullptr}}}, {"is_null", false}, {"value", 1}};
    node = Call("-", Json::array({node, one}), node);
    node["is_operator"] = true;
    return;
  }
  if (TextOf(node, "class") == "LAMBDA" &&
      Dump(node["lhs"]).find(Dump(parameter)) != std::string::npos) {
    return;
  }
  if (!node.is_structured()) return;
  for (Json& child : node) CountFromZero(child, parameter);
}

// transform(list, (x, i) -> ...): places count from 0 in Spark.
void RewritePlaces(Json& node) {
  Json& children = node["children"];
  if (children.size() != 2 || TextOf(children[1], "class") != "LAMBDA") return;
  Json& lambda = children[1];
  if (!lambda["lhs"].contains("children") || lambda["lhs"]["children"].size() != 2) return;
  CountFromZero(lambda["expr"], lambda["lhs"]["children"][1]["column_names"]);
}

// exists(list, x -> ...) and forall: what the conditions give, taken together.
bool RewriteOverList(Json& node, const std::string& name) {
  const Json truths = Call("list_transform", node["children"], Json::object());
  node = Call(name == "exists" ? "pt_any_true" : "pt_all_true", Json::array({truths}), node);
  return true;
}

// aggregate(list, start, (sum, x) -> ..., sum -> ...).
bool RewriteReduce(Json& node) {
  const Json children = node["children"];
  if (children.size() != 3 && children.size() != 4) return false;
  const Json reduced =
      Call("list_reduce", Json::array({children[0], children[2], children[1]}), node);
  if (children.size() == 3) {
    node = reduced;
    return true;
  }
  const Json one = Call("list_value", Json::array({reduced}), Json::object());
  const Json done = Call("list_transform", Json::array({one, children[3]}), Json::object());
  node = Call("list_first", Json::array({done}), node);
  return true;
}

Result<bool> RewriteNested(Json& node, const std::string& name) {
  if (name == "collect_list" || name == "collect_set" || name == "array_agg") {
    return RewriteCollected(node, name);
  }
  if (name == "count_if") return RewriteCountIf(node);
  if (name == "named_struct") return RewriteNamedStruct(node);
  if (name == "struct") return RewriteStruct(node);
  if (name == "exists" || name == "forall") return RewriteOverList(node, name);
  if (name == "aggregate" || name == "reduce") return RewriteReduce(node);
  return false;
}

Result<bool> RewriteCall(Json& node) {
  if (!node.contains("children") || !node["children"].is_array()) return false;
  const std::string name = Lower(TextOf(node, "function_name"));
  if (name == "transform" || name == "filter") RewritePlaces(node);
  if (const auto call = TypeCalls().find(name); call != TypeCalls().end()) {
    node["function_name"] = call->second;
    return true;
  }
  if (ByPattern().contains(name)) return RewritePattern(node, name);
  if (name == "trim" || name == "ltrim" || name == "rtrim") return RewriteTrim(node, name);
  if (name == "date_part" || name == "datepart") return RewriteDatePart(node);
  if (name == "count") return RewriteCount(node);
  if (Likes().contains(name)) return RewriteLike(node, name);
  return RewriteNested(node, name);
}

// Positions in lists count from 0 in Spark.
bool RewriteElement(Json& node) {
  if (TextOf(node, "type") != "ARRAY_EXTRACT" || !node.contains("children")) return false;
  Json& children = node["children"];
  if (children.size() != 2 || ConstantText(children[1]) != nullptr) return false;
  node = Call("pt_element", children, node);
  return true;
}

}  // namespace

Result<bool> RewriteNode(Json& node) {
  const std::string kind = TextOf(node, "class");
  if (kind == "CAST") return RewriteCast(node);
  if (kind == "FUNCTION") return RewriteCall(node);
  return kind == "OPERATOR" && RewriteElement(node);
}

bool NameColumns(Json& select) {
  bool named = false;
  if (!select.contains("select_list")) return false;
  for (Json& column : select["select_list"]) {
    if (TextOf(column, "class") != "COLUMN_REF" || !TextOf(column, "alias").empty()) continue;
    const Json& names = column["column_names"];
    if (names.empty() || !names.back().is_string()) continue;
    const std::string name = names.back().get<std::string>();
    if (name == Lower(name)) continue;
    column["alias"] = name;
    named = true;
  }
  return named;
}

bool TypeNulls(Json& select) {
  bool typed = false;
  if (TextOf(select, "type") != "SELECT_NODE" || !select.contains("select_list")) return false;
  for (Json& column : select["select_list"]) {
    if (TextOf(column, "class") != "CONSTANT" || !column["value"].value("is_null", false)) continue;
    Json child = column;
    child["alias"] = "";
    column = Call("pt_to_text", Json::array({std::move(child)}), column);
    typed = true;
  }
  return typed;
}

}  // namespace protium
