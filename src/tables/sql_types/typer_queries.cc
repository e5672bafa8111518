// SPDX-License-Identifier: Apache-2.0
// SELECT, WITH and unions: which columns they have, and their expressions in their scopes. Parts
// are typed in the order in which names become known: WITH, FROM, the select list, then the others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/nested_values.h"
#include "sql_types/select_parts.h"
#include "sql_types/ties.h"
#include "sql_types/typer.h"

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

// ORDER BY 2 or by a name of the select list, where the column is of a nested type: replaced by the
// expression itself, since DuckDB recognises positions and names only on their own. False for all
// others.
bool OrderBySelected(Json& order, const Json& select, const Relation& made) {
  const Json list = select.value("select_list", Json());
  if (!list.is_array() || list.size() != made.columns.size()) return false;
  int place = 0;
  const bool counted = tree::WholeValue(order, place);
  const Json names = tree::FindKind(order) == tree::Kind::kColumn ? order["column_names"] : Json();
  for (size_t i = 0; i < list.size(); ++i) {
    const bool named = names.size() == 1 && !Text(list[i], "alias").empty() &&
                       Lower(names[0].get<std::string>()) == Lower(Text(list[i], "alias"));
    if (!named && !(counted && place == static_cast<int>(i) + 1)) continue;
    const SqlType& type = made.columns[i].type;
    // Whatever else has that name, the column of the result is meant.
    if (!type.IsNested()) return named && type != SqlType::kUnknown && !type.IsReal();
    if (HoldsMap(type)) return false;
    order = OrderKey(tree::Take(list[i]), type);
    return true;
  }
  return false;
}

// Returns the type of the select list's column whose alias an expression of ORDER BY is; nullptr if
// it is not an alias.
const SqlType* SelectedType(const Json& order, const Json& select, const Relation& made) {
  const auto list = select.find("select_list");
  const bool name = tree::FindKind(order) == tree::Kind::kColumn &&
                    order["column_names"].size() == 1 && list != select.end() &&
                    list->size() == made.columns.size();
  if (!name) return nullptr;
  const std::string lower = Lower(order["column_names"][0].get<std::string>());
  for (size_t i = 0; i < list->size(); ++i) {
    if (Lower(Text((*list)[i], "alias")) == lower) return &made.columns[i].type;
  }
  return nullptr;
}

// Whether ORDER BY contains a query that OrderAliasesRule has not copied from the select list.
bool HoldsQueryOfItsOwn(const Json& order, const Json& select) {
  if (!HoldsQuery(order)) return false;
  const auto place = tree::View(order).place();
  const std::set<uint64_t> listed = FindPlaces(select.value("select_list", Json()));
  if (tree::FindKind(order) == tree::Kind::kSubquery) return place && !listed.contains(*place);
  return std::ranges::any_of(order,
                             [&](const Json& child) { return HoldsQueryOfItsOwn(child, select); });
}

// `type` with text wherever it is only NULL.
SqlType WithoutNull(const SqlType& type) {
  if (type == SqlType::kNull) return {SqlType::kText};
  if (type.IsList()) return SqlType::ListOf(WithoutNull(type.Element()));
  if (type.IsMap()) return SqlType::MapOf(WithoutNull(type.Key()), WithoutNull(type.Value()));
  std::vector<SqlColumn> fields = type.Fields();
  for (SqlColumn& field : fields) field.type = WithoutNull(field.type);
  return fields.empty() ? type : SqlType::StructOf(fields);
}

// A table has no columns of NULL alone: they become text, where DuckDB would make them whole
// numbers (see also sql/rules/null_columns.cc).
void NameNulls(Json& select, const Relation& made) {
  const auto list = select.find("select_list");
  if (list == select.end() || made.open || list->size() != made.columns.size()) return;
  for (size_t i = 0; i < made.columns.size(); ++i) {
    const SqlType& type = made.columns[i].type;
    const SqlType wanted = WithoutNull(type);
    if (type == SqlType::kUnknown || type == wanted) continue;
    const std::string name = ResultName((*list)[i]);
    Coerce((*list)[i], type, wanted);
    if (Text((*list)[i], "alias").empty()) (*list)[i]["alias"] = name;
  }
}

// SELECT with 0.0 for every zero of a query's columns.
void MergeZerosOf(Json& query, const std::vector<SqlColumn>& columns) {
  if (!AnyReal(columns)) return;
  query = Recast(std::move(query), columns, columns);
  for (size_t i = 0; i < columns.size(); ++i) {
    MergePartZeros(query["select_list"][i], columns[i].type);
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

// Each name is visible to the queries after it and to the main query.
Status Typer::Ctes(Json& node, const Scope* outer) {
  for (const tree::CteParts& cte : tree::Ctes(node)) {
    PT_LET(Relation made, Query(cte.query, outer));
    PT_TRY(Rename(cte.named, cte.key, cte.aliases, made));
    ctes_[Lower(cte.key)] = std::move(made);
  }
  return Status::OK();
}

// ORDER BY, LIMIT and DISTINCT ON. OrderAliasesRule has replaced names of the select list within
// expressions; only names on their own are left, and nothing depends on their types.
Status Typer::Modifiers(Json& node, const Scope& scope, const Relation& made) {
  const bool distinct = IsDistinct(node);
  for (Json& modifier : node["modifiers"]) {
    if (Text(modifier, "type") == "DISTINCT_MODIFIER") PT_TRY(RefuseMaps(node, "DISTINCT", made));
    for (Json* const order : tree::Orders(modifier)) {
      if (distinct) PT_TRY(CheckDistinctOrder(*order, node, made));
      PT_TRY(CheckOrderName(*order, node, made));
      if (OrderBySelected(*order, node, made)) continue;
      // A name of the select list takes precedence over a column of a table, which may have another
      // type.
      if (const SqlType* const type = SelectedType(*order, node, made)) {
        if (!distinct) SortZeros(*order, *type, node["select_list"], made.columns);
        continue;
      }
      within_ = HoldsQueryOfItsOwn(*order, node) ? "ORDER BY" : "";
      PT_LET(const SqlType type, OrderExpression(*order, scope));
      within_ = "";
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

// LIMIT and OFFSET: Spark accepts whole numbers of 32 bits, DuckDB rounds others.
Status Typer::CheckLimit(Json& modifier, const Scope& scope) {
  if (Text(modifier, "type") != "LIMIT_MODIFIER") return Status::OK();
  for (const char* const part : {"limit", "offset"}) {
    const auto found = modifier.find(part);
    if (found == modifier.end() || !found->is_object()) continue;
    PT_LET(const SqlType type, Expression(*found, scope));
    // LIMIT ALL is NULL to DuckDB's parser.
    if (type == SqlType::kInt || type == SqlType::kUnknown || type == SqlType::kNull) continue;
    return Refuse(*found, fmt::format("a number of rows is {}", type.SparkName()),
                  "Spark takes whole numbers of 32 bits", "write LIMIT 10");
  }
  return Status::OK();
}

// UNION, EXCEPT and INTERSECT: columns are matched by position and take the names of the left side.
// If not all columns of one side are known, nothing is cast and the result is open.
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
    const auto both = CommonType(a, NamedLike(b, a));
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
  if (kind != "UNION" || !node.value("setop_all", false)) {
    PT_TRY(RefuseMaps(node, kind, made));
  }
  PT_TRY(RefuseNestedOrders(node, made));
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

// WITH RECURSIVE: the columns are those of its first part, which the second part refers to by name.
Result<Relation> Typer::Recursive(Json& node, const Scope* outer) {
  if (!node.value("union_all", true)) {
    return Refuse(node, "a recursive query is joined to itself by UNION",
                  "Spark takes only UNION ALL there", "use UNION ALL, and DISTINCT outside");
  }
  const tree::SideParts parts(node);
  PT_LET(Relation start, Query(parts.left, outer));
  Relation named = start;
  RenameColumns(node["aliases"], named.columns);
  ctes_[Lower(Text(node, "cte_name"))] = named;
  PT_TRY(Query(parts.right, outer));
  return named;
}

Result<TypedStatement> TypeStatement(Json& tree, const TypeSource& source) {
  Typer typer(source);
  Json& query = tree["statements"][0]["node"];
  PT_LET(const Relation made, typer.Query(query, nullptr));
  NameNulls(query, made);
  TypedStatement typed{.ties = HasTies(query), .doubles = typer.doubles()};
  for (const tree::CteParts& cte : tree::Ctes(query)) {
    if (!typer.Reads(Lower(cte.key))) typed.unread.push_back(cte.key);
  }
  return typed;
}

}  // namespace protium
