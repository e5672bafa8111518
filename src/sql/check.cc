// SPDX-License-Identifier: Apache-2.0
#include "sql/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/fault.h"
#include "base/nearest.h"
#include "sql/known_functions.h"

namespace protium {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string TextOf(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : "";
}

// The two macros that stand for CAST and TRY_CAST to a whole number.
struct WholeCast {
  const char* cast;
  const char* try_cast;
};
const std::map<std::string, WholeCast, std::less<>> kWholeCasts = {
    {"BIGINT", {"pt_to_bigint", "pt_try_bigint"}},
    {"INTEGER", {"pt_to_integer", "pt_try_integer"}},
    {"SMALLINT", {"pt_to_smallint", "pt_try_smallint"}},
    {"TINYINT", {"pt_to_tinyint", "pt_try_tinyint"}}};

class Checker {
 public:
  Checker(const std::string& text, const SqlNames& names) : text_(text), names_(names) {
    for (const std::string& table : names.tables) tables_.insert(Lower(table));
  }

  Status Visit(Json& node) {
    if (node.is_object()) {
      PT_TRY(Look(node));
      for (auto& [key, child] : node.items()) PT_TRY(Visit(child));
      // After its children, so that a cast within a cast is found.
      Rewrite(node);
    } else if (node.is_array()) {
      for (Json& child : node) PT_TRY(Visit(child));
    }
    return Status::OK();
  }

  // Names that WITH gives to queries, anywhere in the text.
  void CollectCtes(const Json& node) {
    if (node.is_object()) {
      const auto map = node.find("cte_map");
      if (map != node.end() && map->is_object() && map->contains("map")) {
        for (const Json& entry : (*map)["map"]) tables_.insert(Lower(TextOf(entry, "key")));
      }
    }
    if (node.is_structured()) {
      for (const Json& child : node) CollectCtes(child);
    }
  }

  bool changed() const { return changed_; }
  std::vector<std::string> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  Status Look(const Json& node) {
    const std::string kind = TextOf(node, "class"), type = TextOf(node, "type");
    if (kind == "FUNCTION" || kind == "WINDOW") return LookAtCall(node, kind == "WINDOW");
    if (kind == "CAST") LookAtCast(node);
    if (node.contains("sample") && !node["sample"].is_null()) {
      return Refuse(node, "a sample depends on the engine", "every engine draws in its own way",
                    "use a split with a seed");
    }
    if (type == "TABLE_FUNCTION") return LookAtTableFunction(node);
    if (type == "BASE_TABLE") return LookAtTable(node);
    if (type == "SELECT_NODE") return LookAtSelect(node);
    if (type == "SHOW_REF" || type == "PIVOT") {
      return Refuse(node, "DESCRIBE, SHOW and PIVOT are not shared by the engines", "", "");
    }
    return Status::OK();
  }

  Status LookAtCall(const Json& node, bool window) {
    const std::string name = Lower(TextOf(node, "function_name"));
    const KnownFunction* const known = FindKnownFunction(name);
    if (known == nullptr) return LookAtStranger(node, name);
    if (known->meaning == Meaning::kRefused) {
      return Refuse(node, "function \"" + name + "\" is not the same on every engine",
                    std::string(known->reason), std::string(known->fix));
    }
    if (known->meaning == Meaning::kNotExact) {
      notes_.insert(name + (window ? " over a window" : "") + ": " + std::string(known->reason));
    } else if (window && name != "rank" && name != "dense_rank") {
      LookAtFrame(node, name);
    }
    return name == "date_part" ? LookAtDatePart(node) : LookAtPattern(node, name);
  }

  // Rows that tie leave open what a frame counted in rows holds.
  void LookAtFrame(const Json& node, const std::string& name) {
    const std::string bounds = TextOf(node, "start") + TextOf(node, "end");
    if (bounds.find("ROWS") == std::string::npos) return;
    notes_.insert(name +
                  " over a window of rows: where rows tie in its order, either may come first");
  }

  Status LookAtStranger(const Json& node, const std::string& name) {
    if (names_.engine_function && names_.engine_function(name) && !name.starts_with("pt_")) {
      notes_.insert(name + ": a function of the embedded engine, not compared with Spark's");
      return Status::OK();
    }
    return Refuse(node, "there is no function \"" + name + "\"", "",
                  Suggest(name, KnownFunctionNames()));
  }

  Status LookAtDatePart(const Json& node) {
    static constexpr std::string_view kShared[] = {"year", "quarter", "month", "week",
                                                   "day",  "doy",     "hour",  "minute"};
    const Json& part = node["children"][0];
    const std::string name = part.contains("value") && part["value"].is_object()
                                 ? Lower(TextOf(part["value"], "value"))
                                 : "";
    if (std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared)) {
      return Status::OK();
    }
    return Refuse(node, "part \"" + name + "\" of a date is not the same on every engine",
                  "days of the week, seconds and epochs are counted differently",
                  "use dayofweek(), second() or unix_timestamp()");
  }

  Status LookAtPattern(const Json& node, const std::string& name) {
    const bool pattern_follows = name.find("~~") != std::string::npos &&
                                 node.contains("children") && !node["children"].empty();
    if (!pattern_follows) return Status::OK();
    const Json& pattern = node["children"].back();
    if (!pattern.contains("value") || !pattern["value"].is_object() ||
        TextOf(pattern["value"], "value").find('\\') == std::string::npos) {
      return Status::OK();
    }
    return Refuse(node, "a LIKE pattern holds a backslash",
                  "it escapes the next character in Spark and stands for itself here",
                  "name another escape character: LIKE '...' ESCAPE '!'");
  }

  void LookAtCast(const Json& node) {
    const auto type = node.find("cast_type");
    if (type == node.end() || TextOf(*type, "id") != "VARCHAR") return;
    notes_.insert("CAST to text: engines write large, small and decimal numbers differently");
  }

  Status LookAtTable(const Json& node) {
    const std::string name = TextOf(node, "table_name");
    if (TextOf(node, "schema_name").empty() && tables_.count(Lower(name)) > 0) return Status::OK();
    const bool file = name.find('.') != std::string::npos || name.find('/') != std::string::npos;
    return Refuse(node, "there is no table \"" + name + "\"",
                  file ? "SQL text reads tables by name; files are declared outside it" : "",
                  Suggest(name, names_.tables));
  }

  Status LookAtTableFunction(const Json& node) {
    const std::string name =
        node.contains("function") ? Lower(TextOf(node["function"], "function_name")) : "";
    const KnownFunction* const known = FindKnownFunction(name);
    if (known != nullptr) return Status::OK();  // Looked at as a call.
    return Refuse(node, "there is no table function \"" + name + "\"",
                  "SQL text reads tables by name; the engine's own tables are not shared", "");
  }

  Status LookAtSelect(const Json& node) {
    bool ordered = false, limited = false;
    for (const Json& modifier : node.value("modifiers", Json::array())) {
      const std::string type = TextOf(modifier, "type");
      ordered = ordered || type == "ORDER_MODIFIER";
      limited = limited || type.starts_with("LIMIT");
    }
    if (limited && !ordered) notes_.insert("LIMIT without ORDER BY: any rows may stay");
    if (limited && ordered)
      notes_.insert("LIMIT: where rows tie in the order, any of them may stay");
    return Status::OK();
  }

  void Rewrite(Json& node) {
    if (TextOf(node, "class") != "CAST" || !node.contains("cast_type")) return;
    const auto found = kWholeCasts.find(TextOf(node["cast_type"], "id"));
    if (found == kWholeCasts.end()) return;
    const bool tried = node.value("try_cast", false);
    Json call = {{"class", "FUNCTION"}, {"type", "FUNCTION"}};
    call["alias"] = node.value("alias", "");
    call["query_location"] = node.value("query_location", Json());
    call["function_name"] = tried ? found->second.try_cast : found->second.cast;
    call["schema"] = "";
    call["children"] = Json::array({node["child"]});
    call["filter"] = nullptr;
    call["order_bys"] = {{"type", "ORDER_MODIFIER"}, {"orders", Json::array()}};
    call["distinct"] = false;
    call["is_operator"] = false;
    call["export_state"] = false;
    call["catalog"] = "";
    node = std::move(call);
    changed_ = true;
  }

  // The place of `node` in the text, as line:column.
  std::string Place(const Json& node) const {
    const auto found = node.find("query_location");
    if (found == node.end() || !found->is_number_unsigned()) return "the SQL text";
    const auto at = found->get<uint64_t>();
    if (at >= text_.size()) return "the SQL text";
    const std::string_view before(text_.data(), at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t start = before.rfind('\n');
    const size_t column = at - (start == std::string_view::npos ? 0 : start + 1) + 1;
    return fmt::format("the SQL text, line {}, column {}", line, column);
  }

  Status Refuse(const Json& node, std::string what, std::string why, std::string fix) const {
    return Fail({.exit = Exit::kUsage,
                 .what = std::move(what),
                 .where = Place(node),
                 .why = std::move(why),
                 .fix = std::move(fix)});
  }

  const std::string& text_;
  const SqlNames& names_;
  std::set<std::string> tables_;
  std::set<std::string> notes_;
  bool changed_ = false;
};

Status CheckShape(const Json& tree, const std::string& text) {
  const bool failed = !tree.is_object() || tree.value("error", true);
  if (!failed && tree.contains("statements") && tree["statements"].size() == 1) return Status::OK();
  if (!failed) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the SQL text holds {} statements", tree["statements"].size()),
                 .fix = "write one SELECT; name its parts with WITH"});
  }
  if (TextOf(tree, "error_type") == "not implemented") {
    return Fail({.exit = Exit::kUsage,
                 .what = "the SQL text is not a SELECT",
                 .why = "a plan's SQL makes a table from tables and changes nothing"});
  }
  Fault fault{.exit = Exit::kUsage, .what = TextOf(tree, "error_message")};
  const std::string position = TextOf(tree, "position");
  if (!position.empty() && position.size() < 10) {
    const size_t at = std::min<size_t>(std::stoul(position), text.size());
    const std::string_view before(text.data(), at);
    const size_t start = before.rfind('\n');
    fault.where = fmt::format("the SQL text, line {}, column {}",
                              std::count(before.begin(), before.end(), '\n') + 1,
                              at - (start == std::string_view::npos ? 0 : start + 1) + 1);
  }
  return Fail(std::move(fault));
}

}  // namespace

Result<CheckedTree> CheckSql(Json tree, const std::string& text, const SqlNames& names) {
  PT_TRY(CheckShape(tree, text));
  Checker checker(text, names);
  checker.CollectCtes(tree);
  PT_TRY(checker.Visit(tree));
  return CheckedTree{std::move(tree), checker.changed(), checker.notes()};
}

}  // namespace protium
