// SPDX-License-Identifier: Apache-2.0
// SELECT, WITH and unions: which columns they have, and the expressions in them in their scopes.
// Parts are typed in the order in which names become known: WITH, FROM, the select list, then the
// others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sql/names/column_name.h"
#include "sql/tree.h"
#include "sql/tree_parts.h"
#include "sql/tree_view.h"
#include "sql/types/convert.h"
#include "sql/types/nested_values.h"
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

// ORDER BY 2 or by a name of the select list, where its column is of a nested type: the expression
// itself takes its place, since DuckDB knows places and names only where they stand alone. False
// where it is none of these.
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
    if (!type.IsNested()) return false;
    order = OrderKey(tree::Take(list[i]), type);
    return true;
  }
  return false;
}

// `type` with text wherever it is nothing but NULL.
SqlType WithoutNull(const SqlType& type) {
  if (type == SqlType::kNull) return {SqlType::kText};
  if (type.IsList()) return SqlType::ListOf(WithoutNull(type.Element()));
  if (type.IsMap()) return SqlType::MapOf(WithoutNull(type.Key()), WithoutNull(type.Value()));
  std::vector<SqlColumn> fields = type.Fields();
  for (SqlColumn& field : fields) field.type = WithoutNull(field.type);
  return fields.empty() ? type : SqlType::StructOf(fields);
}

// The name of a column in the result; empty where the engine invents one.
std::string ResultName(const Json& column) {
  const std::string alias = Text(column, "alias");
  if (!alias.empty() || tree::FindKind(column) != tree::Kind::kColumn) return alias;
  const Json& names = column["column_names"];
  return names.empty() || !names.back().is_string() ? "" : names.back().get<std::string>();
}

// A table has no columns of NULL alone: they become text, where DuckDB would make whole numbers of
// them (see also rules/null_columns.cc).
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
  Relation made;
  const tree::SelectParts parts(node);
  PT_TRY(From(parts.from, scope));
  PT_TRY(SelectList(node, scope, made));
  PT_TRY(Condition(parts.where, scope));
  KeepJoins(parts.where);
  PT_TRY(Groups(node, scope, made));
  PT_TRY(Condition(parts.having, scope));
  PT_TRY(Condition(parts.qualify, scope));
  PT_TRY(Modifiers(node, scope, made));
  return made;
}

// The name that Spark makes up for a column; empty for one that has a name.
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

Status Typer::SelectList(Json& select, Scope& scope, Relation& made) {
  for (size_t i = 0; i < select["select_list"].size(); ++i) {
    Json& column = select["select_list"][i];
    if (tree::FindKind(column) == tree::Kind::kStar) {
      for (Json& entry : column["replace_list"]) PT_TRY(Expression(entry["value"], scope));
      const bool replaced = !column["replace_list"].empty();
      made.open = made.open || replaced || !ExpandStar(scope, column, made.columns);
      continue;
    }
    const std::string made_up = NameOf(select, i, scope);
    const std::string name = made_up.empty() ? ResultName(column) : made_up;
    const bool plain = tree::FindKind(column) == tree::Kind::kColumn;
    PT_LET(const SqlType type, Expression(column, scope));
    // A cast around a plain column would cost it its name in the result, and DuckDB names a column
    // as its table spells it, Spark as the query does (rules/column_names.cc has names that a query
    // spells with capitals).
    if (plain && Text(column, "alias").empty() &&
        (tree::FindKind(column) != tree::Kind::kColumn || HasOtherCapitals(scope, name))) {
      column["alias"] = name;
    }
    made.columns.push_back({name, type});
    if (!made_up.empty()) {
      column["alias"] = made_up;
      continue;
    }
    // Later columns may use the name (lateral aliases), in Spark as in DuckDB.
    if (!Text(column, "alias").empty()) scope.aliases.push_back({name, type});
  }
  return Status::OK();
}

// ORDER BY, LIMIT and DISTINCT ON. OrderAliasesRule has replaced names of the select list within
// expressions; a name alone is left, and nothing depends on its type.
Status Typer::Modifiers(Json& node, const Scope& scope, const Relation& made) {
  for (Json& modifier : node["modifiers"]) {
    if (Text(modifier, "type") == "DISTINCT_MODIFIER") PT_TRY(RefuseMaps(node, "DISTINCT", made));
    for (Json* const order : tree::Orders(modifier)) {
      if (!OrderBySelected(*order, node, made)) PT_TRY(OrderExpression(*order, scope));
    }
    if (modifier.contains("distinct_on_targets")) {
      PT_TRY(Each(modifier["distinct_on_targets"], scope));
    }
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
  Relation made{.columns = std::move(common)};
  if (kind != "UNION" || !node.value("setop_all", false)) {
    PT_TRY(RefuseMaps(node, kind, made));
  }
  PT_TRY(RefuseNestedOrders(node, made));
  PT_TRY(Modifiers(node, Scope{.aliases = made.columns, .outer = outer}, made));
  return made;
}

// WITH RECURSIVE: the columns are those of its first part, which the second part sees by name.
Result<Relation> Typer::Recursive(Json& node, const Scope* outer) {
  const tree::SideParts parts(node);
  PT_LET(Relation start, Query(parts.left, outer));
  Relation named = start;
  RenameColumns(node["aliases"], named.columns);
  ctes_[Lower(Text(node, "cte_name"))] = named;
  PT_TRY(Query(parts.right, outer));
  return named;
}

Status TypeStatement(Json& tree, const TypeSource& source) {
  Typer typer(source);
  Json& query = tree["statements"][0]["node"];
  PT_LET(const Relation made, typer.Query(query, nullptr));
  NameNulls(query, made);
  return Status::OK();
}

}  // namespace protium
