// SPDX-License-Identifier: Apache-2.0
#include "sql/rewrite.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/fault.h"
#include "sql/java_pattern.h"
#include "sql/rewrite_nested.h"
#include "sql/tree.h"

namespace protium {
namespace {

using tree::Call;
using tree::ConstantText;
using tree::Replace;
using tree::Text;
using tree::TextConstant;

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

// A literal such as DATE '2013-07-04' reads alike everywhere.
bool IsPlainLiteral(const Json& child, const std::string& type) {
  const std::string* const text = ConstantText(child);
  if (text == nullptr) return false;
  if (type == "VARCHAR") return true;
  const bool digits = text->find_first_not_of("0123456789-: .") == std::string::npos;
  const size_t length = text->size();
  return digits && ((type == "DATE" && length == 10) || (type == "TIMESTAMP" && length >= 19));
}

// 7L and 7S, as DuckNumber() spells them.
bool RewriteLiteral(Json& node) {
  const Json& child = node["child"];
  if (Text(child, "class") != "CAST" || Text(child["cast_type"], "id") != "HUGEINT") return false;
  if (ConstantText(child["child"]) == nullptr) return false;
  const bool wide = Text(node["cast_type"], "id") == "BIGINT";
  Replace(node, Call(wide ? "pt_literal_bigint" : "pt_literal_smallint",
                     Json::array({child["child"]}), node));
  return true;
}

bool RewriteCast(Json& node) {
  if (!node.contains("cast_type") || !node.contains("child")) return false;
  if (RewriteLiteral(node)) return true;
  const bool tried = node.value("try_cast", false);
  const Names& casts = tried ? TryCasts() : Casts();
  const std::string type = Text(node["cast_type"], "id");
  const auto found = casts.find(type);
  if (found == casts.end() || IsPlainLiteral(node["child"], type)) return false;
  Replace(node, Call(found->second, Json::array({node["child"]}), node));
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
  Replace(node, Call(function, children, node));
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
  Replace(node, function == nullptr ? Call("date_part", children, node)
                                    : Call(function, Json::array({children[1]}), node));
  return true;
}

// DuckDB is quicker with a pattern that is known and escapes nothing.
bool RewriteLike(Json& node, const std::string& name) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const std::string* const pattern = ConstantText(children[1]);
  const bool plain = pattern != nullptr && pattern->find('\\') == std::string::npos;
  if (plain && !name.ends_with('*')) return false;
  Replace(node, Call(Likes().find(name)->second,
                     Json::array({children[0], children[1], TextConstant("\\")}), node));
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

Result<bool> RewriteCall(Json& node) {
  if (!node.contains("children") || !node["children"].is_array()) return false;
  const std::string name = Lower(Text(node, "function_name"));
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
  if (Text(node, "type") != "ARRAY_EXTRACT" || !node.contains("children")) return false;
  Json& children = node["children"];
  if (children.size() != 2 || ConstantText(children[1]) != nullptr) return false;
  Replace(node, Call("pt_element", children, node));
  return true;
}

}  // namespace

Result<bool> RewriteNode(Json& node) {
  const std::string kind = Text(node, "class");
  if (kind == "CAST") return RewriteCast(node);
  if (kind == "FUNCTION") return RewriteCall(node);
  return kind == "OPERATOR" && RewriteElement(node);
}

bool NameColumns(Json& select) {
  bool named = false;
  if (!select.contains("select_list")) return false;
  for (Json& column : select["select_list"]) {
    if (Text(column, "class") != "COLUMN_REF" || !Text(column, "alias").empty()) continue;
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
  if (Text(select, "type") != "SELECT_NODE" || !select.contains("select_list")) return false;
  for (Json& column : select["select_list"]) {
    if (Text(column, "class") != "CONSTANT" || !column["value"].value("is_null", false)) continue;
    Replace(column, Call("pt_to_text", Json::array({tree::Take(column)}), column));
    typed = true;
  }
  return typed;
}

}  // namespace protium
