// SPDX-License-Identifier: Apache-2.0
// One SELECT: its tables, then its list, then everything that sees the names of the list.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/names/column_name.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/select_parts.h"
#include "sql_types/ties.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

// Whether inline() has names for the fields of its structs.
bool NamesFields(const Json& list) {
  return std::any_of(list.begin(), list.end(), [](const Json& column) {
    return IsGenerator(column) && tree::View(column).function().starts_with("inline") &&
           !Text(column, "alias").empty();
  });
}

// Whether a SELECT DISTINCT * of one table shows numbers whose zeros are merged.
bool ShowsZeros(const Json& select, const Scope& scope) {
  return IsDistinct(select) && scope.relations.size() == 1 && !scope.relations[0].open &&
         AnyReal(scope.relations[0].columns);
}

}  // namespace

Result<Relation> Typer::Select(Json& node, const Scope* outer) {
  Scope scope{.outer = outer};
  const tree::SelectParts parts(node);
  const int generators = CountGenerators(parts.list);
  const bool windows = HoldsWindow(parts.list) || HoldsWindow(parts.qualify);
  const bool grouped = !parts.groups.empty() || HoldsAggregate(parts.list);
  Selection to{.from = &parts.from, .spread = JoinsUsing(parts.from)};
  to.apart = generators > 1 || NamesFields(parts.list) || (generators == 1 && windows && !grouped);
  if (to.apart && grouped) {
    return Refuse(node, "functions that make rows are used beside GROUP BY",
                  "the embedded engine makes all their rows at once",
                  "put the groups into a query in FROM");
  }
  to.spread = to.spread || to.apart;
  if (to.spread) NameAll(parts.from);
  PT_TRY(From(parts.from, scope));
  to.spread = to.spread || scope.reordered || ShowsZeros(node, scope);
  PT_TRY(Groupings(node));
  PT_TRY(Columns(node, scope, to));
  Scope below = scope;
  below.aliases_unseen = true;
  PT_TRY(Condition(parts.where, below));
  if (tree::IsConstant(parts.where) && parts.where["value"].value("is_null", false)) {
    return Refuse(parts.where, "WHERE is given NULL", "Spark takes true or false there",
                  "write WHERE false");
  }
  KeepJoins(parts.where);
  PT_LET(const std::vector<SqlType> groups, Groups(node, scope, to.made));
  Scope above = scope;
  above.results = &to.made.columns;
  PT_TRY(Condition(parts.having, above));
  PT_TRY(Condition(parts.qualify, above));
  if (HoldsAggregate(parts.qualify)) {
    return Refuse(parts.qualify, "QUALIFY is given an aggregate",
                  "Spark computes it after the groups, of which it sees only the columns",
                  "name the aggregate in the select list");
  }
  PT_TRY(Modifiers(node, above, to.made));
  if (!to.made.open) GroupZeros(node, groups, to.made.columns);
  DropEmptyTotals(node);
  if (!grouped && !to.apart) BreakTies(node, scope);
  return std::move(to.made);
}

// The name that Spark invents for a column; empty for one that has a name.
std::string Typer::NameOf(const Json& select, size_t index, const Scope& scope) const {
  const Json kept = KeptColumn(select, index);
  if (kept.is_null()) return "";
  return ColumnName(kept, {.text = source_.text,
                           .column = [&](const Json& names) { return FindColumn(scope, names); },
                           .table =
                               [&](const std::string& name) {
                                 return std::ranges::any_of(
                                     scope.relations, [&](const Relation& each) {
                                       return Lower(each.name) == Lower(name);
                                     });
                               }});
}

Status Typer::Columns(Json& select, Scope& scope, Selection& to) {
  for (size_t i = 0; i < select["select_list"].size(); ++i) {
    PT_TRY(SelectColumn(select, i, scope, to));
  }
  select["select_list"] = std::move(to.list);
  return Status::OK();
}

Status Typer::SelectColumn(Json& select, size_t index, Scope& scope, Selection& to) {
  Json& column = select["select_list"][index];
  if (tree::FindKind(column) == tree::Kind::kStar) return Star(column, scope, to);
  if (IsGenerator(column)) return Generator(column, scope, to);
  const std::string made_up = NameOf(select, index, scope);
  const std::string name = made_up.empty() ? ResultName(column) : made_up;
  if (!SplitGeneratedNames(name).empty()) {
    return Refuse(column, "several names are given to one column",
                  "Spark takes them for functions that make rows, such as explode", "name it once");
  }
  const bool plain = tree::FindKind(column) == tree::Kind::kColumn;
  PT_LET(const SqlType type, Expression(column, scope));
  // A cast around a plain column would lose its name in the result, and DuckDB names a column as
  // its table spells it, Spark as the query does (sql/rules/column_names.cc has names that a query
  // spells with capitals).
  if (plain && Text(column, "alias").empty() &&
      (tree::FindKind(column) != tree::Kind::kColumn || HasOtherCapitals(scope, name))) {
    column["alias"] = name;
  }
  to.made.columns.push_back({name, type});
  if (!made_up.empty()) {
    column["alias"] = made_up;
  } else if (!Text(column, "alias").empty()) {
    // Later columns may use the name (lateral aliases), in Spark as in DuckDB.
    scope.aliases.push_back({name, type});
  }
  to.list.push_back(std::move(column));
  return Status::OK();
}

// * stays as it is, unless DuckDB has its columns in another order than Spark.
Status Typer::Star(Json& star, const Scope& scope, Selection& to) {
  for (Json& entry : star["replace_list"]) PT_TRY(Expression(entry["value"], scope));
  std::vector<Output> outputs;
  const bool known = star["replace_list"].empty() && ExpandStar(scope, star, outputs);
  to.made.open = to.made.open || !known;
  for (const Output& output : outputs) to.made.columns.push_back(output.column);
  if (!to.spread) {
    to.list.push_back(std::move(star));
    return Status::OK();
  }
  if (!known) {
    return Refuse(star, "the columns of * are not known before the query runs",
                  "the engines have them in different orders", "list the columns");
  }
  std::vector<Output> all;
  Json whole = star;
  const size_t left_out = star["exclude_list"].size() + star["qualified_exclude_list"].size();
  whole["exclude_list"] = whole["qualified_exclude_list"] = Json::array();
  if (!ExpandStar(scope, whole, all) || all.size() - outputs.size() < left_out) {
    return Refuse(star, "EXCEPT names a column that is not there", "",
                  "name columns of the tables in FROM");
  }
  for (const Output& output : outputs) {
    Json column = ValueOf(scope, output);
    column["alias"] = output.column.name;
    to.list.push_back(std::move(column));
  }
  return Status::OK();
}

}  // namespace protium
