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
                              {"DATE", "pt_to_date"},
                              {"TIMESTAMP", "pt_to_timestamp"},
                              {"TIMESTAMP WITH TIME ZONE", "pt_to_timestamp"}};
  return casts;
}

const Names& TryCasts() {
  static const Names casts = {{"BIGINT", "pt_try_bigint"},
                              {"INTEGER", "pt_try_integer"},
                              {"SMALLINT", "pt_try_smallint"},
                              {"TINYINT", "pt_try_tinyint"}};
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
                              {"regexp_full_match", "regexp_matches"}};
  return calls;
}

const Names& Likes() {
  static const Names likes = {{"~~", "like_escape"},
                              {"!~~", "not_like_escape"},
                              {"~~*", "ilike_escape"},
                              {"!~~*", "not_ilike_escape"}};
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
       .fix = "use letters of y, M, d, H, h, m, s, S, a, E and D"});
}

// date_format(x, 'yyyy'), to_date(s, 'dd/MM/yyyy'), to_timestamp(s, '...').
Result<bool> RewritePattern(Json& node, const std::string& name) {
  Json& children = node["children"];
  if (children.size() != 2) return false;
  const std::string* const pattern = ConstantText(children[1]);
  if (pattern == nullptr) return RefusePattern(name, "...");
  const auto posix = FromJavaPattern(*pattern);
  if (!posix) return RefusePattern(name, *pattern);
  const std::string function = name == "date_format" ? "pt_format_time"
                               : name == "to_date"   ? "pt_parse_date"
                                                     : "pt_parse_time";
  node = Call(function, Json::array({children[0], Constant(*posix)}), node);
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
                                                                              : nullptr;
  if (function == nullptr) return false;
  node = Call(function, Json::array({children[1]}), node);
  return true;
}

bool RewriteLike(Json& node, const std::string& name) {
  Json& children = node["children"];
  const std::string* const pattern = children.size() == 2 ? ConstantText(children[1]) : nullptr;
  if (pattern == nullptr || pattern->find('\\') == std::string::npos) return false;
  node = Call(Likes().find(name)->second, Json::array({children[0], children[1], Constant("\\")}),
              node);
  return true;
}

bool RewriteCount(Json& node) {
  Json& children = node["children"];
  if (children.size() < 2 || !node.value("distinct", false)) return false;
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

Status LookAtReplacement(const Json& children) {
  const std::string* const text = children.size() < 3 ? nullptr : ConstantText(children[2]);
  if (text == nullptr || text->find('\\') == std::string::npos) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the replacement of \"regexp_replace\" holds a backslash",
               .why = "Java's escapes in replacements are not those of the embedded engine",
               .fix = "use replace() for texts with $ or \\"});
}

Result<bool> RewriteCall(Json& node) {
  if (!node.contains("children") || !node["children"].is_array()) return false;
  const std::string name = Lower(TextOf(node, "function_name"));
  if (const auto call = TypeCalls().find(name); call != TypeCalls().end()) {
    node["function_name"] = call->second;
    return true;
  }
  if (name == "date_format" || name == "to_date" || name == "to_timestamp") {
    return RewritePattern(node, name);
  }
  if (name == "trim" || name == "ltrim" || name == "rtrim") return RewriteTrim(node, name);
  if (name == "regexp_replace") PT_TRY(LookAtReplacement(node["children"]));
  if (name == "date_part") return RewriteDatePart(node);
  if (name == "count") return RewriteCount(node);
  return Likes().count(name) > 0 && RewriteLike(node, name);
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
