// SPDX-License-Identifier: Apache-2.0
#include "sql/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "sql/known_functions.h"
#include "sql/order_aliases.h"
#include "sql/place.h"
#include "sql/rewrite.h"
#include "sql/tree.h"

namespace protium {
namespace {

using tree::Text;

class Checker {
 public:
  Checker(const std::string& text, const DuckText& duck, const SqlNames& names)
      : text_(text), duck_(duck), names_(names) {
    for (const std::string& table : names.tables) tables_.insert(Lower(table));
  }

  Status Visit(Json& node) {
    if (node.is_object()) {
      PT_TRY(Look(node));
      changed_ = OrderByAliases(node) || changed_;
      PT_TRY(VisitChildren(node));
      // After its children, so that a cast within a cast is found.
      PT_TRY(Rewrite(node));
    } else if (node.is_array()) {
      for (Json& child : node) PT_TRY(Visit(child));
    }
    return Status::OK();
  }

  bool changed() const { return changed_; }
  std::vector<std::string> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  // A name that WITH gives is known to the queries after it in the list and to the one that the
  // list stands before; a recursive one to itself.
  Status VisitChildren(Json& node) {
    const auto with = node.find("cte_map");
    if (with == node.end() || !with->is_object() || !with->contains("map")) {
      for (auto& [key, child] : node.items()) PT_TRY(Visit(child));
      return Status::OK();
    }
    const std::set<std::string> outer = tables_;
    for (Json& entry : (*with)["map"]) {
      const std::string name = Lower(Text(entry, "key"));
      Json& query = entry["value"];
      const bool recursive = query.contains("query") && query["query"].contains("node") &&
                             Text(query["query"]["node"], "type") == "RECURSIVE_CTE_NODE";
      if (recursive) tables_.insert(name);
      PT_TRY(Visit(query));
      tables_.insert(name);
    }
    for (auto& [key, child] : node.items()) {
      if (key != "cte_map") PT_TRY(Visit(child));
    }
    tables_ = outer;
    return Status::OK();
  }

  Status Look(const Json& node) {
    const std::string kind = Text(node, "class"), type = Text(node, "type");
    if (kind == "FUNCTION" || kind == "WINDOW") return LookAtCall(node, kind == "WINDOW");
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
    const std::string name = Lower(Text(node, "function_name"));
    const KnownFunction* const known = FindKnownFunction(name);
    if (known == nullptr) return LookAtStranger(node, name);
    if (known->meaning == Meaning::kRefused) {
      return Refuse(node, "function \"" + name + "\" is not the same on every engine",
                    std::string(known->reason), std::string(known->fix));
    }
    if (OrdersStructs(node, name)) {
      return Refuse(node, "function \"" + name + "\" of structures is not the same on every engine",
                    "a null within one comes first in Spark and last here",
                    "use max_by(x, y) or min_by(x, y)");
    }
    if (window && known->composed && !Text(node, "type").ends_with("_VALUE")) {
      return Refuse(node, "function \"" + name + "\" over a window is not known to every engine",
                    "the embedded engine computes it for groups only",
                    "compute it in a query with GROUP BY and join that");
    }
    if (!window && known->composed && !IsCollected(name) && Narrowed(node)) {
      return Refuse(
          node, "function \"" + name + "\" with DISTINCT or FILTER is not known to every engine",
          "the embedded engine makes it of several functions",
          "write CASE WHEN ... THEN x END inside");
    }
    if (known->meaning == Meaning::kNotExact) {
      notes_.insert(name + (window ? " over a window" : "") + ": " + std::string(known->reason));
    } else if (window && name != "rank" && name != "dense_rank") {
      LookAtFrame(node, name);
    }
    return name == "date_part" || name == "datepart" ? LookAtDatePart(node)
                                                     : LookAtPattern(node, name);
  }

  static bool OrdersStructs(const Json& node, const std::string& name) {
    if (name != "max" && name != "min" && name != "greatest" && name != "least") return false;
    for (const Json& child : node.value("children", Json::array())) {
      const std::string called = Lower(Text(child, "function_name"));
      if (called == "struct" || called == "named_struct") return true;
    }
    return false;
  }

  static bool IsCollected(const std::string& name) {
    return name == "collect_list" || name == "collect_set" || name == "array_agg" ||
           name == "count_if";
  }

  // Whether an aggregate takes a part of the rows only.
  static bool Narrowed(const Json& node) {
    const auto filter = node.find("filter");
    return node.value("distinct", false) || (filter != node.end() && !filter->is_null());
  }

  // Rows that tie leave open what a frame counted in rows holds.
  void LookAtFrame(const Json& node, const std::string& name) {
    const std::string bounds = Text(node, "start") + Text(node, "end");
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
    static constexpr std::string_view kShared[] = {
        "year",   "quarter", "month",      "week", "day",     "doy",       "hour",         "minute",
        "second", "seconds", "yearofweek", "dow",  "dow_iso", "dayofweek", "dayofweek_iso"};
    const Json& part = node["children"][0];
    const std::string name = part.contains("value") && part["value"].is_object()
                                 ? Lower(Text(part["value"], "value"))
                                 : "";
    if (std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared)) {
      return Status::OK();
    }
    return Refuse(node, "part \"" + name + "\" of a date is not the same on every engine",
                  "epochs and parts of seconds are counted differently",
                  "use second() or unix_timestamp()");
  }

  // A bad pattern that is written out is told before any row is read.
  Status LookAtPattern(const Json& node, const std::string& name) {
    const bool regular = name.starts_with("regexp") || name == "rlike" || name == "split";
    if (!regular || !node.contains("children") || node["children"].size() < 2) return Status::OK();
    const Json& pattern = node["children"][1];
    if (!pattern.contains("value") || !pattern["value"].is_object()) return Status::OK();
    const Status good =
        names_.check_pattern ? names_.check_pattern(Text(pattern["value"], "value")) : Status::OK();
    if (good.ok()) return good;
    const Fault fault = FaultOf(good);
    return Refuse(node, "regexp: " + fault.what, fault.why, fault.fix);
  }

  Status LookAtTable(const Json& node) {
    const std::string name = Text(node, "table_name");
    if (Text(node, "schema_name").empty() && tables_.count(Lower(name)) > 0) return Status::OK();
    const bool file = name.find('.') != std::string::npos || name.find('/') != std::string::npos;
    return Refuse(node, "there is no table \"" + name + "\"",
                  file ? "SQL text reads tables by name; files are declared outside it" : "",
                  Suggest(name, names_.tables));
  }

  Status LookAtTableFunction(const Json& node) {
    const std::string name =
        node.contains("function") ? Lower(Text(node["function"], "function_name")) : "";
    const KnownFunction* const known = FindKnownFunction(name);
    if (known != nullptr) return Status::OK();  // Looked at as a call.
    return Refuse(node, "there is no table function \"" + name + "\"",
                  "SQL text reads tables by name; the engine's own tables are not shared", "");
  }

  Status LookAtSelect(const Json& node) {
    bool ordered = false, limited = false;
    for (const Json& modifier : node.value("modifiers", Json::array())) {
      const std::string type = Text(modifier, "type");
      ordered = ordered || type == "ORDER_MODIFIER";
      limited = limited || type.starts_with("LIMIT");
    }
    if (limited && !ordered) notes_.insert("LIMIT without ORDER BY: any rows may stay");
    if (limited && ordered)
      notes_.insert("LIMIT: where rows tie in the order, any of them may stay");
    return Status::OK();
  }

  Status Rewrite(Json& node) {
    const std::string place = Place(node);
    const auto rewritten = RewriteNode(node);
    if (!rewritten.ok()) {
      Fault fault = FaultOf(rewritten.status());
      fault.where = place;
      return Fail(std::move(fault));
    }
    const bool named = Text(node, "type") == "SELECT_NODE" && NameColumns(node);
    changed_ = changed_ || *rewritten || named;
    return Status::OK();
  }

  std::string Place(const Json& node) const { return PlaceOf(node, text_, duck_); }

  Status Refuse(const Json& node, std::string what, std::string why, std::string fix) const {
    return Fail({.exit = Exit::kUsage,
                 .what = std::move(what),
                 .where = Place(node),
                 .why = std::move(why),
                 .fix = std::move(fix)});
  }

  const std::string& text_;
  const DuckText& duck_;
  const SqlNames& names_;
  std::set<std::string> tables_;
  std::set<std::string> notes_;
  bool changed_ = false;
};

Status CheckShape(const Json& tree, const std::string& text, const DuckText& duck) {
  const bool failed = !tree.is_object() || tree.value("error", true);
  if (!failed && tree.contains("statements") && tree["statements"].size() == 1) return Status::OK();
  if (!failed) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the SQL text holds {} statements", tree["statements"].size()),
                 .fix = "write one SELECT; name its parts with WITH"});
  }
  if (Text(tree, "error_type") == "not implemented") {
    return Fail({.exit = Exit::kUsage,
                 .what = "the SQL text is not a SELECT",
                 .why = "a plan's SQL makes a table from tables and changes nothing"});
  }
  Fault fault{.exit = Exit::kUsage, .what = Text(tree, "error_message")};
  const std::string position = Text(tree, "position");
  if (!position.empty() && position.size() < 10) {
    fault.where = PlaceIn(text, duck.Origin(std::stoul(position)));
  }
  return Fail(std::move(fault));
}

}  // namespace

std::string PlaceOf(const Json& node, const std::string& text, const DuckText& duck) {
  const auto found = node.find("query_location");
  if (found == node.end() || !found->is_number_unsigned()) return "the SQL text";
  const auto at = found->get<uint64_t>();
  return at < duck.text.size() ? PlaceIn(text, duck.Origin(at)) : "the SQL text";
}

Result<CheckedTree> CheckSql(Json tree, const std::string& text, const DuckText& duck,
                             const SqlNames& names) {
  PT_TRY(CheckShape(tree, text, duck));
  Checker checker(text, duck, names);
  PT_TRY(checker.Visit(tree));
  const bool typed = TypeNulls(tree["statements"][0]["node"]);
  return CheckedTree{std::move(tree), checker.changed() || typed, checker.notes()};
}

}  // namespace protium
