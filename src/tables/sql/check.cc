// SPDX-License-Identifier: Apache-2.0
// Walks the tree once, depth first. At each node:
//   1. the node is checked as the user wrote it: functions, tables, samples, patterns;
//   2. the rules of kBeforeChildren apply;
//   3. its children are visited;
//   4. the rules of kAfterChildren apply, so that they find their operands already rewritten.
// The outermost SELECT then has its own turn (kStatement). The first refusal ends the walk. Checks
// come before rules because rules call pt_... functions, which users must not.
#include "sql/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "sql/duckdb/prelude.h"
#include "sql/rules/rule.h"
#include "sql/windows.h"
#include "sql_text/place.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_words/functions/table.h"
#include "sql_words/known_functions.h"

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
      PT_TRY(CheckNode(tree::View(node)));
      PT_TRY(Apply(node, RuleTurn::kBeforeChildren));
      PT_TRY(VisitChildren(node));
      PT_TRY(Apply(node, RuleTurn::kAfterChildren));
    } else if (node.is_array()) {
      for (Json& child : node) PT_TRY(Visit(child));
    }
    return Status::OK();
  }

  // Applies the rules of one turn to `node`. Rules do not know the text, so the position of a
  // refusal is added here.
  Status Apply(Json& node, RuleTurn turn) {
    const Result<bool> applied = ApplyRules(node, turn);
    if (!applied.ok()) {
      Fault fault = FaultOf(applied.status());
      fault.where = Place(node);
      return Fail(std::move(fault));
    }
    changed_ = changed_ || *applied;
    return Status::OK();
  }

  bool changed() const { return changed_; }
  std::vector<std::string> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  // WITH: each name is visible to the queries after it in the list and to the main query, and only
  // with RECURSIVE to its own query. Names end with the SELECT that the list belongs to.
  Status VisitChildren(Json& node) {
    // Its call was checked with the table, and is not an expression.
    if (tree::View(node).Is(tree::Kind::kTableFunction)) return Visit(node["function"]["children"]);
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

  Status CheckNode(const tree::View& node) {
    // TABLESAMPLE and USING SAMPLE are members of tables and SELECTs, not nodes of their own.
    const auto sample = node.json().find("sample");
    if (sample != node.json().end() && !sample->is_null()) {
      return Refuse(node, "a sample depends on the engine", "every engine draws in its own way",
                    "use a split with a seed");
    }
    switch (node.kind()) {
      case tree::Kind::kFunction:
      case tree::Kind::kWindow:
        return CheckCall(node);
      case tree::Kind::kTableFunction:
        return CheckTableFunction(node);
      case tree::Kind::kTable:
        return CheckTable(node);
      case tree::Kind::kSelect:
        NoteLimit(node.json());
        return Status::OK();
      default:
        break;
    }
    if (node.type() == "SHOW_REF") {
      return Refuse(node, "DESCRIBE and SHOW are not supported by every engine", "", "");
    }
    return Status::OK();
  }

  Status CheckCall(const tree::View& node) {
    const std::string& name = node.function();
    const bool window = node.Is(tree::Kind::kWindow);
    const KnownFunction* const known = FindKnownFunction(name);
    if (known == nullptr) return CheckStranger(node);
    if (known->meaning == Meaning::kRefused) {
      return Refuse(node, "function \"" + name + "\" is not the same on every engine",
                    std::string(known->reason), std::string(known->fix));
    }
    if (window) PT_TRY(CheckWindow(node, Place(node.json())));
    if (const Macro* macro = FindDuckDbMacro(name); macro != nullptr && macro->IsComposed()) {
      PT_TRY(CheckComposed(node));
    }
    Note(node, *known);
    return name == "date_part" || name == "datepart" ? CheckDatePart(node) : CheckPattern(node);
  }

  void Note(const tree::View& node, const KnownFunction& known) {
    const std::string& name = node.function();
    const bool window = node.Is(tree::Kind::kWindow);
    const bool of_ties = known.reason == functions::kTies || known.reason == functions::kAnyRow ||
                         known.reason == functions::kTextOrder;
    if (window && names_.without_ties && of_ties) return;
    if (known.meaning == Meaning::kNotExact) {
      notes_.insert(name + (window ? " over a window" : "") + ": " + std::string(known.reason));
    }
    const bool by_frame = window && !of_ties && name != "rank" && name != "dense_rank";
    if (by_frame && !names_.without_ties) NoteFrame(node);
  }

  // A macro whose body is more than one call expands to an expression, not to an aggregate: DuckDB
  // refuses it with OVER, DISTINCT or FILTER, with a message that names the macro. This reports it
  // first.
  Status CheckComposed(const tree::View& node) const {
    const std::string& name = node.function();
    const bool window = node.Is(tree::Kind::kWindow);
    // first_value() and last_value() with OVER are window functions in DuckDB's grammar
    // (WINDOW_FIRST_VALUE): no macro is involved.
    if (window && !node.type().ends_with("_VALUE") && !IsCollected(name)) {
      return Refuse(node,
                    "function \"" + name + "\" over a window is not supported by every engine",
                    "the embedded engine computes it only for groups",
                    "compute it in a query with GROUP BY and join the result");
    }
    if (!window && !IsCollected(name) && IsNarrowed(node.json())) {
      return Refuse(
          node,
          "function \"" + name + "\" with DISTINCT or FILTER is not supported by every engine",
          "the embedded engine builds it from several functions",
          "write CASE WHEN ... THEN x END inside");
    }
    return Status::OK();
  }

  // Rules turn these into plain calls of list() and count(), which take DISTINCT and FILTER,
  // although the macros of the same names do not.
  static bool IsCollected(const std::string& name) {
    return name == "collect_list" || name == "collect_set" || name == "array_agg" ||
           name == "count_if";
  }

  // Whether an aggregate has DISTINCT or FILTER.
  static bool IsNarrowed(const Json& node) {
    const auto filter = node.find("filter");
    return node.value("distinct", false) || (filter != node.end() && !filter->is_null());
  }

  // A frame of ROWS cuts between rows that tie in its ORDER BY, whose order no engine guarantees;
  // one of RANGE leaves them together.
  void NoteFrame(const tree::View& node) {
    const std::string bounds = Text(node.json(), "start") + Text(node.json(), "end");
    if (bounds.find("ROWS") == std::string::npos) return;
    notes_.insert(node.function() +
                  " over a window of rows: where rows tie in its order, either may come first");
  }

  Status CheckStranger(const tree::View& node) {
    const std::string& name = node.function();
    // DuckDB's functions without a row are not Spark's, or were never compared with Spark's.
    if (names_.engine_function && names_.engine_function(name) && !name.starts_with("pt_")) {
      return Refuse(node, "function \"" + name + "\" is not supported by every engine",
                    std::string(functions::kOneSide), Suggest(name, KnownFunctionNames()));
    }
    return Refuse(node, "there is no function \"" + name + "\"", "",
                  Suggest(name, KnownFunctionNames()));
  }

  Status CheckDatePart(const tree::View& node) const {
    const std::string* const part = node.ArgumentText(0);
    const std::string name = part == nullptr ? "" : Lower(*part);
    if (!FindPartFunction(name).empty()) return Status::OK();
    return Refuse(node, "a date has no part \"" + name + "\"",
                  "Spark's extract() does not know this name",
                  "use year, quarter, month, week, day, hour, minute, second, dayofweek or doy");
  }

  // An invalid constant pattern is reported now, with its position, instead of at the first row.
  Status CheckPattern(const tree::View& node) const {
    const std::string& name = node.function();
    const bool regular = name.starts_with("regexp") || name == "rlike" || name == "split";
    const std::string* const pattern = regular ? node.ArgumentText(1) : nullptr;
    if (pattern == nullptr || !names_.check_pattern) return Status::OK();
    const Status good = names_.check_pattern(*pattern);
    if (good.ok()) return good;
    const Fault fault = FaultOf(good);
    return Refuse(node, "regexp: " + fault.what, fault.why, fault.fix);
  }

  Status CheckTable(const tree::View& node) const {
    const std::string& name = Text(node.json(), "table_name");
    if (Text(node.json(), "schema_name").empty() && tables_.contains(Lower(name))) {
      return Status::OK();
    }
    // FROM 'data.csv' parses as a table of that name: DuckDB would open the file.
    const bool file = name.find('.') != std::string::npos || name.find('/') != std::string::npos;
    return Refuse(node, "there is no table \"" + name + "\"",
                  file ? "SQL text reads tables by name; files are declared outside it" : "",
                  Suggest(name, names_.tables));
  }

  Status CheckTableFunction(const tree::View& node) {
    const auto call = node.json().find("function");
    const std::string name = call == node.json().end() ? "" : tree::View(*call).function();
    if (name == "range") return Status::OK();
    const KnownFunction* const known = FindKnownFunction(name);
    if (known != nullptr && known->meaning == Meaning::kRefused)
      return CheckCall(tree::View(*call));
    if (known != nullptr) {
      return Refuse(node, "function \"" + name + "\" after FROM is not supported by every engine",
                    "the embedded engine has it only among the columns",
                    "write FROM (SELECT " + name + "(...) AS x)");
    }
    return Refuse(node, "there is no table function \"" + name + "\"",
                  "SQL text reads tables by name; the engine's own tables are not available", "");
  }

  void NoteLimit(const Json& select) {
    bool ordered = false, limited = false;
    if (!select.contains("modifiers")) return;
    for (const Json& modifier : select["modifiers"]) {
      const std::string& type = Text(modifier, "type");
      ordered = ordered || type == "ORDER_MODIFIER";
      limited = limited || type.starts_with("LIMIT");
    }
    if (!limited) return;
    notes_.insert(ordered ? "LIMIT: where rows tie in the order, any of them may stay"
                          : "LIMIT without ORDER BY: any rows may stay");
  }

  std::string Place(const Json& node) const { return DescribePlace(node, text_, duck_); }

  Status Refuse(const tree::View& node, std::string what, std::string why, std::string fix) const {
    return Fail({.exit = Exit::kUsage,
                 .what = std::move(what),
                 .where = Place(node.json()),
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

// Makes sure that there is a tree and that it is of one SELECT. json_serialize_sql reports a syntax
// error as JSON too ("error": true) and serialises only SELECTs: for any other statement its
// error_type is "not implemented".
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
  // At most nine digits: they fit std::stoul, whatever DuckDB sends.
  if (!position.empty() && position.size() < 10) {
    fault.where = PlaceIn(text, duck.Origin(std::stoul(position)));
  }
  return Fail(std::move(fault));
}

}  // namespace

std::string DescribePlace(const Json& node, const std::string& text, const DuckText& duck) {
  const auto at = tree::View(node).place();
  return at && *at < duck.text.size() ? PlaceIn(text, duck.Origin(*at)) : "the SQL text";
}

Result<CheckedTree> CheckSql(Json tree, const std::string& text, const DuckText& duck,
                             const SqlNames& names) {
  PT_TRY(CheckShape(tree, text, duck));
  Checker checker(text, duck, names);
  PT_TRY(checker.Visit(tree));
  PT_TRY(checker.Apply(tree["statements"][0]["node"], RuleTurn::kStatement));
  return CheckedTree{std::move(tree), checker.changed(), checker.notes()};
}

}  // namespace protium
