// SPDX-License-Identifier: Apache-2.0
// ORDER BY x + 1, where x is both a column of a table and a name that the SELECT gives: Spark means
// the name, DuckDB the column. The rule puts the SELECT's expression in place of its name. A name
// on its own, as in ORDER BY x, means the SELECT's column in both. The copy retains its positions
// in the text, by which the typer distinguishes it from what ORDER BY itself contains (FindPlaces).
#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

using Aliases = std::map<std::string, const Json*>;

// The name of an unqualified column, in capitals; empty for everything else.
std::string PlainColumn(const Json& node) {
  if (tree::FindKind(node) != tree::Kind::kColumn || !node.contains("column_names")) return "";
  const Json& names = node["column_names"];
  const bool one = names.is_array() && names.size() == 1 && names[0].is_string();
  return one ? Upper(names[0].get<std::string>()) : "";
}

// The expressions of a select list by their names in capitals; null for a name that two of them
// share and for plain columns. Empty if there is a *, whose names are not known here.
Aliases CollectAliases(const Json& list) {
  Aliases aliases;
  for (const Json& column : list) {
    if (tree::FindKind(column) == tree::Kind::kStar) return {};
    const std::string& alias = tree::Text(column, "alias");
    const std::string name = alias.empty() ? PlainColumn(column) : Upper(alias);
    if (name.empty()) continue;
    const bool first = aliases.emplace(name, alias.empty() ? nullptr : &column).second;
    if (!first) aliases[name] = nullptr;
  }
  return aliases;
}

// Calls `use` with every node within `node` that is such a name, and with the expression it names.
// Subqueries and lambdas have their own names and are skipped.
template <class Node, class Use>
void ForEachAlias(Node& node, const Aliases& aliases, const Use& use) {
  const tree::Kind kind = tree::FindKind(node);
  if (kind == tree::Kind::kSubquery || kind == tree::Kind::kLambda) return;
  const auto found = node.is_object() ? aliases.find(PlainColumn(node)) : aliases.end();
  if (found == aliases.end()) {
    if (!node.is_structured()) return;
    for (Node& child : node) ForEachAlias(child, aliases, use);
  } else if (found->second != nullptr) {
    use(node, *found->second);
  }
}

// Calls `use` for the names in the expressions of ORDER BY, except for expressions that are only a
// name.
template <class Node, class Use>
void ForEachAliasOfOrder(Node& select, const Aliases& aliases, const Use& use) {
  for (Node& modifier : select["modifiers"]) {
    if (tree::Text(modifier, "type") != "ORDER_MODIFIER") continue;
    for (Node& order : modifier["orders"]) {
      Node& expression = order["expression"];
      if (PlainColumn(expression).empty()) ForEachAlias(expression, aliases, use);
    }
  }
}

}  // namespace

Rule OrderAliasesRule() {
  return {.name = "order aliases",
          .matches =
              [](const tree::View& node) {
                const Json& select = node.json();
                if (!node.Is(tree::Kind::kSelect) || !select.contains("select_list") ||
                    select.value("modifiers", Json::array()).empty()) {
                  return false;
                }
                bool used = false;
                ForEachAliasOfOrder(select, CollectAliases(select["select_list"]),
                                    [&](const Json&, const Json&) { used = true; });
                return used;
              },
          .apply =
              [](Json& select) {
                const Json list = select["select_list"];
                ForEachAliasOfOrder(
                    select, CollectAliases(list),
                    [](Json& name, const Json& meant) { name = tree::Take(meant); });
                return Status::OK();
              }};
}

}  // namespace protium
