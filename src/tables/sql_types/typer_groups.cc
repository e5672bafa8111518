// SPDX-License-Identifier: Apache-2.0
// Rows that are compared as wholes: GROUP BY, DISTINCT, unions. Spark groups by maps regardless of
// the order of their keys, and shows them sorted by key; it accepts no map anywhere else.
#include <utility>

#include "base/text.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/nested_values.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

// The expression without its names and positions in the text, for comparison.
Json Bare(const Json& node) {
  if (!node.is_structured()) return node;
  Json bare = node;
  if (bare.is_object()) {
    bare["query_location"] = nullptr;
    bare["alias"] = "";
    for (auto& [key, child] : bare.items()) child = Bare(child);
  } else {
    for (Json& child : bare) child = Bare(child);
  }
  return bare;
}

// Puts the sorted map wherever the grouping expression occurs. A column of the result retains its
// name.
void ReplaceGroup(Json& node, const Json& bare, const SqlType& type, bool column = false) {
  if (!node.is_structured()) return;
  if (node.is_object() && node.contains("class") && Bare(node) == bare) {
    std::string name = tree::Text(node, "alias");
    if (column && name.empty() && tree::FindKind(node) == tree::Kind::kColumn) {
      name = node["column_names"].back().get<std::string>();
    }
    node = WithSortedMaps(tree::Take(node), type);
    node["alias"] = name;
    return;
  }
  for (Json& child : node) ReplaceGroup(child, bare, type, /*listed=*/false);
}

// The column of the select list that a group names by position or alias; -1 if there is none.
int SelectedColumn(const Json& group, const Json& list, const Scope& scope) {
  int place = 0;
  if (tree::WholeValue(group, place)) return place - 1;
  if (tree::FindKind(group) != tree::Kind::kColumn) return -1;
  const Json& names = group["column_names"];
  Scope tables = scope;
  tables.aliases.clear();
  if (names.size() != 1 || FindColumn(tables, names) != SqlType::kUnknown) return -1;
  for (size_t i = 0; i < list.size(); ++i) {
    if (Lower(tree::Text(list[i], "alias")) == Lower(names[0].get<std::string>())) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

Status Typer::RefuseMaps(const Json& at, const std::string& what, const Relation& made) const {
  for (const SqlColumn& column : made.columns) {
    if (!HoldsMap(column.type)) continue;
    return Refuse(at,
                  what + " is given column \"" + column.name + "\" of " + column.type.SparkName(),
                  "Spark does not compare rows with maps", "use map_entries(m)");
  }
  return Status::OK();
}

// DuckDB orders a union only by its columns as they are, and would put nulls within them last.
Status Typer::RefuseNestedOrders(Json& node, const Relation& made) const {
  for (Json& modifier : node["modifiers"]) {
    for (Json* const order : tree::Orders(modifier)) {
      int place = 0;
      const bool counted = tree::WholeValue(*order, place);
      const Json names =
          tree::FindKind(*order) == tree::Kind::kColumn ? (*order)["column_names"] : Json();
      for (size_t i = 0; i < made.columns.size(); ++i) {
        const bool named =
            names.size() == 1 && Lower(names[0].get<std::string>()) == Lower(made.columns[i].name);
        if (!named && !(counted && place == static_cast<int>(i) + 1)) continue;
        if (!made.columns[i].type.IsNested()) continue;
        return Refuse(*order, "a union is ordered by " + made.columns[i].type.SparkName(),
                      "the embedded engine orders unions only by plain columns",
                      "put the union into FROM (...) and order outside it");
      }
    }
  }
  return Status::OK();
}

Result<std::vector<SqlType>> Typer::Groups(Json& select, const Scope& scope, const Relation& made) {
  const tree::SelectParts parts(select);
  const Json typed = parts.list;
  std::vector<SqlType> types;
  for (Json& group : parts.groups) {
    const int selected = SelectedColumn(group, typed, scope);
    const bool listed = selected >= 0 && typed.size() == made.columns.size() &&
                        static_cast<size_t>(selected) < made.columns.size();
    PT_LET(const SqlType own, Expression(group, scope));
    types.push_back(own);
    const SqlType type = listed ? made.columns[static_cast<size_t>(selected)].type : own;
    if (!HoldsMap(type)) continue;
    const Json bare = Bare(listed ? typed[static_cast<size_t>(selected)] : group);
    for (Json& column : parts.list) ReplaceGroup(column, bare, type, /*column=*/true);
    ReplaceGroup(parts.having, bare, type);
    ReplaceGroup(select["modifiers"], bare, type);
    if (!listed) group = WithSortedMaps(tree::Take(group), type);
  }
  // GROUP BY ALL names no expressions.
  if (tree::Text(select, "aggregate_handling") == "FORCE_AGGREGATES") {
    PT_TRY(RefuseMaps(select, "GROUP BY ALL", made));
  }
  return types;
}

}  // namespace protium
