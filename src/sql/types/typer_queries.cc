// SPDX-License-Identifier: Apache-2.0
// SELECT, WITH and unions: which columns they have, and the expressions in them in their scopes.
// Parts are typed in the order in which names become known: WITH, FROM, the select list, then the
// others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sql/generated_names.h"
#include "sql/tree.h"
#include "sql/tree_parts.h"
#include "sql/tree_view.h"
#include "sql/types/convert.h"
#include "sql/types/select_parts.h"
#include "sql/types/typer.h"

namespace protium {
namespace {

using tree::Text;

// SELECT CAST(pt_1 AS ...) AS a, ... FROM (node) AS pt_side(pt_1, ...): names are given by
// position, because those of a query may repeat or be missing.
Json Recast(Json node, const std::vector<SqlColumn>& from, const std::vector<SqlColumn>& to) {
  Json list = Json::array(), names = Json::array();
  for (size_t i = 0; i < from.size(); ++i) {
    const std::string name = fmt::format("pt_{}", i + 1);
    Json column = tree::ColumnRef(name);
    column["alias"] = to[i].name;
    Coerce(column, from[i].type, to[i].type);
    list.push_back(std::move(column));
    names.push_back(name);
  }
  return tree::SelectFrom(std::move(list), std::move(node), "pt_side", std::move(names));
}

// The name of a column in the result; empty where the engine invents one.
std::string ResultName(const Json& column) {
  const std::string alias = Text(column, "alias");
  if (!alias.empty() || tree::FindKind(column) != tree::Kind::kColumn) return alias;
  const Json& names = column["column_names"];
  return names.empty() || !names.back().is_string() ? "" : names.back().get<std::string>();
}

// Whether inline() has names for the fields of its structs.
bool NamesFields(const Json& list) {
  return std::any_of(list.begin(), list.end(), [](const Json& column) {
    return IsGenerator(column) && tree::View(column).function().starts_with("inline") &&
           !Text(column, "alias").empty();
  });
}

bool AnyReal(const std::vector<SqlColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const SqlColumn& column) { return column.type.IsReal(); });
}

// Whether a SELECT DISTINCT * of one table shows numbers of which zeros are merged.
bool ShowsZeros(const Json& select, const Scope& scope) {
  return IsDistinct(select) && scope.relations.size() == 1 && !scope.relations[0].open &&
         AnyReal(scope.relations[0].columns);
}

// SELECT with 0.0 for every zero of a query's columns.
void MergeZerosOf(Json& query, const std::vector<SqlColumn>& columns) {
  if (!AnyReal(columns)) return;
  query = Recast(std::move(query), columns, columns);
  for (size_t i = 0; i < columns.size(); ++i) {
    MergeZeros(query["select_list"][i], columns[i].type);
  }
}

}  // namespace

void RecastColumns(Json& query, const std::vector<SqlColumn>& from,
                   const std::vector<SqlColumn>& to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const SqlType &is = from[i].type, &wanted = to[i].type;
    if (is == wanted || is == SqlType::kUnknown || wanted == SqlType::kUnknown) continue;
    query = Recast(std::move(query), from, to);
    return;
  }
}

Result<Relation> Typer::Query(Json& node, const Scope* outer) {
  // Names of WITH end with the query that they belong to.
  const auto before = ctes_;
  PT_TRY(Ctes(node, outer));
  const std::string type = Text(node, "type");
  Result<Relation> made = type == "SELECT_NODE"          ? Select(node, outer)
                          : type == "SET_OPERATION_NODE" ? SetOperation(node, outer)
                          : type == "RECURSIVE_CTE_NODE" ? Recursive(node, outer)
                                                         : Relation{.open = true};
  ctes_ = before;
  return made;
}

// Each name is known to the queries after it and to the main query.
Status Typer::Ctes(Json& node, const Scope* outer) {
  for (const tree::CteParts& cte : tree::Ctes(node)) {
    PT_LET(Relation made, Query(cte.query, outer));
    PT_TRY(Rename(cte.named, cte.key, cte.aliases, made));
    ctes_[Lower(cte.key)] = std::move(made);
  }
  return Status::OK();
}

Result<Relation> Typer::Select(Json& node, const Scope* outer) {
  Scope scope{.outer = outer};
  const tree::SelectParts parts(node);
  const int generators = CountGenerators(parts.list);
  const bool windows = HoldsWindow(parts.list) || HoldsWindow(parts.qualify);
  const bool grouped = !parts.groups.empty() || HoldsAggregate(parts.list);
  SelectList to{.from = &parts.from, .spread = JoinsUsing(parts.from)};
  to.apart = generators > 1 || NamesFields(parts.list) || (generators == 1 && windows && !grouped);
  if (to.apart && grouped) {
    return Refuse(node, "functions that make rows stand beside groups",
                  "the embedded engine makes the rows of all at once",
                  "put the groups into a query in FROM");
  }
  to.spread = to.spread || to.apart;
  if (to.spread) NameAll(parts.from);
  PT_TRY(From(parts.from, scope));
  to.spread = to.spread || scope.reordered || ShowsZeros(node, scope);
  PT_TRY(Groupings(node));
  PT_TRY(Columns(parts.list, scope, to));
  Scope below = scope;
  below.aliases_unseen = true;
  PT_TRY(Condition(parts.where, below));
  if (tree::IsConstant(parts.where) && parts.where["value"].value("is_null", false)) {
    return Refuse(parts.where, "WHERE is given NULL", "Spark takes true or false there",
                  "write WHERE false");
  }
  KeepJoins(parts.where);
  PT_LET(const std::vector<SqlType> groups, Each(parts.groups, scope));
  Scope above = scope;
  above.results = &to.made.columns;
  PT_TRY(Condition(parts.having, above));
  PT_TRY(Condition(parts.qualify, above));
  if (HoldsAggregate(parts.qualify)) {
    return Refuse(parts.qualify, "QUALIFY is given an aggregate",
                  "Spark computes it after the groups, of which it sees the columns alone",
                  "name the aggregate in the select list");
  }
  PT_TRY(Modifiers(node, above, to.made));
  if (!to.made.open) GroupZeros(node, groups, to.made.columns);
  DropEmptyTotals(node);
  return std::move(to.made);
}

Status Typer::Columns(Json& list, Scope& scope, SelectList& to) {
  for (Json& column : list) PT_TRY(Column(column, scope, to));
  list = std::move(to.list);
  return Status::OK();
}

Status Typer::Column(Json& column, Scope& scope, SelectList& to) {
  if (tree::FindKind(column) == tree::Kind::kStar) return Star(column, scope, to);
  if (IsGenerator(column)) return Generator(column, scope, to);
  const std::string name = ResultName(column);
  if (!SplitGeneratedNames(name).empty()) {
    return Refuse(column, "several names are given to one column",
                  "Spark takes them for functions that make rows, such as explode", "name it once");
  }
  const bool plain = tree::FindKind(column) == tree::Kind::kColumn;
  PT_LET(const SqlType type, Expression(column, scope));
  // A cast around a plain column would cost it its name in the result, and DuckDB names a column
  // as its table spells it, Spark as the query does (rules/column_names.cc has names that a query
  // spells with capitals).
  if (plain && Text(column, "alias").empty() &&
      (tree::FindKind(column) != tree::Kind::kColumn || HasOtherCapitals(scope, name))) {
    column["alias"] = name;
  }
  to.made.columns.push_back({name, type});
  // Later columns may use the name (lateral aliases), in Spark as in DuckDB.
  if (!Text(column, "alias").empty()) scope.aliases.push_back({name, type});
  to.list.push_back(std::move(column));
  return Status::OK();
}

// * stays as it is, unless DuckDB has its columns in another order than Spark.
Status Typer::Star(Json& star, const Scope& scope, SelectList& to) {
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
                  "name columns of the tables behind FROM");
  }
  for (const Output& output : outputs) {
    Json column = ValueOf(scope, output);
    column["alias"] = output.column.name;
    to.list.push_back(std::move(column));
  }
  return Status::OK();
}

// ORDER BY, LIMIT and DISTINCT ON. OrderAliasesRule has replaced names of the select list within
// expressions; a name alone is left.
Status Typer::Modifiers(Json& node, const Scope& scope, const Relation& made) {
  const bool distinct = IsDistinct(node);
  for (Json& modifier : node["modifiers"]) {
    for (Json* const order : tree::Orders(modifier)) {
      if (distinct) PT_TRY(CheckDistinctOrder(*order, made));
      PT_TRY(CheckOrderName(*order, node, made));
      PT_LET(const SqlType type, Expression(*order, scope));
      if (!distinct && node.contains("select_list")) {
        SortZeros(*order, type, node["select_list"], made.columns);
      }
    }
    PT_TRY(CheckLimit(modifier, scope));
    if (modifier.contains("distinct_on_targets")) {
      PT_TRY(Each(modifier["distinct_on_targets"], scope));
    }
  }
  return Status::OK();
}

// LIMIT and OFFSET: Spark takes whole numbers of 32 bits, DuckDB rounds others.
Status Typer::CheckLimit(Json& modifier, const Scope& scope) {
  if (Text(modifier, "type") != "LIMIT_MODIFIER") return Status::OK();
  for (const char* const part : {"limit", "offset"}) {
    const auto found = modifier.find(part);
    if (found == modifier.end() || !found->is_object()) continue;
    PT_LET(const SqlType type, Expression(*found, scope));
    if (type == SqlType::kInt || type == SqlType::kUnknown) continue;
    return Refuse(*found, fmt::format("a number of rows is {}", type.SparkName()),
                  "Spark takes whole numbers of 32 bits", "write LIMIT 10");
  }
  return Status::OK();
}

// UNION, EXCEPT and INTERSECT: columns meet by position and take the names of the left side. If one
// side's columns are not all known, nothing is cast and the result is open.
Result<Relation> Typer::SetOperation(Json& node, const Scope* outer) {
  const tree::SideParts sides(node);
  PT_LET(Relation left, Query(sides.left, outer));
  PT_LET(const Relation right, Query(sides.right, outer));
  const std::string kind = Text(node, "setop_type");
  if (left.open || right.open || left.columns.size() != right.columns.size() ||
      kind.ends_with("BY_NAME")) {
    return Relation{.columns = std::move(left.columns), .open = true};
  }
  std::vector<SqlColumn> common = left.columns;
  for (size_t i = 0; i < common.size(); ++i) {
    const SqlType &a = left.columns[i].type, &b = right.columns[i].type;
    const auto both = CommonType(a, b);
    if (!both) {
      return Refuse(node,
                    fmt::format("column {} of a {} is {} and {}", i + 1, Lower(kind), a.SparkName(),
                                b.SparkName()),
                    "Spark has no common type for them", "cast one of them");
    }
    common[i].type = *both;
  }
  RecastColumns(sides.left, left.columns, common);
  RecastColumns(sides.right, right.columns, common);
  if (!node.value("setop_all", false) && kind != "INTERSECT") {
    MergeZerosOf(sides.left, common);
    MergeZerosOf(sides.right, common);
  }
  Relation made{.columns = std::move(common)};
  const Scope results{.aliases = made.columns, .results = &made.columns, .outer = outer};
  PT_TRY(Modifiers(node, results, made));
  if (AnyReal(made.columns)) Wrap(node, made);
  return made;
}

// Sorts a set operation from outside, where zeros can be merged for it: see SortZeros().
void Typer::Wrap(Json& node, const Relation& made) const {
  Json modifiers = node["modifiers"];
  const bool sorted = std::any_of(modifiers.begin(), modifiers.end(), [](const Json& modifier) {
    return Text(modifier, "type") == "ORDER_MODIFIER";
  });
  if (!sorted) return;
  node["modifiers"] = Json::array();
  node = Recast(std::move(node), made.columns, made.columns);
  for (Json& modifier : modifiers) {
    for (Json* const order : tree::Orders(modifier)) {
      SortZeros(*order, {}, node["select_list"], made.columns);
    }
  }
  node["modifiers"] = std::move(modifiers);
}

// WITH RECURSIVE: the columns are those of its first part, which the second part sees by name.
Result<Relation> Typer::Recursive(Json& node, const Scope* outer) {
  if (!node.value("union_all", true)) {
    return Refuse(node, "a recursive query is joined to itself by UNION",
                  "Spark takes UNION ALL alone there", "use UNION ALL, and DISTINCT outside");
  }
  const tree::SideParts parts(node);
  PT_LET(Relation start, Query(parts.left, outer));
  Relation named = start;
  RenameColumns(node["aliases"], named.columns);
  ctes_[Lower(Text(node, "cte_name"))] = named;
  PT_TRY(Query(parts.right, outer));
  return named;
}

Result<std::vector<std::string>> TypeStatement(Json& tree, const TypeSource& source) {
  Typer typer(source);
  Json& query = tree["statements"][0]["node"];
  std::vector<std::string> unread;
  PT_TRY(typer.Query(query, nullptr));
  for (const tree::CteParts& cte : tree::Ctes(query)) {
    if (!typer.Reads(Lower(cte.key))) unread.push_back(cte.key);
  }
  return unread;
}

}  // namespace protium
