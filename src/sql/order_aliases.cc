// SPDX-License-Identifier: Apache-2.0
#include "sql/order_aliases.h"

#include <map>
#include <string>
#include <utility>

#include "sql/tokens.h"

namespace protium {
namespace {

std::string TextOf(const Json& node, const char* key) {
  if (!node.is_object()) return "";
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : "";
}

// The name of an unqualified column, in capitals; empty for everything else.
std::string ColumnOf(const Json& node) {
  if (TextOf(node, "class") != "COLUMN_REF" || !node.contains("column_names")) return "";
  const Json& names = node["column_names"];
  const bool one = names.is_array() && names.size() == 1 && names[0].is_string();
  return one ? Capitals(names[0].get<std::string>()) : "";
}

// The expressions of a select list by their aliases; nothing where a name is open.
std::map<std::string, const Json*> AliasesOf(const Json& list) {
  std::map<std::string, const Json*> aliases;
  for (const Json& column : list) {
    if (TextOf(column, "class") == "STAR") return {};
    const std::string alias = TextOf(column, "alias");
    const std::string name = alias.empty() ? ColumnOf(column) : Capitals(alias);
    if (name.empty()) continue;
    const bool first = aliases.emplace(name, &column).second;
    if (!first) aliases[name] = nullptr;
  }
  return aliases;
}

bool Replace(Json& node, const std::map<std::string, const Json*>& aliases) {
  if (node.is_array()) {
    bool changed = false;
    for (Json& child : node) changed = Replace(child, aliases) || changed;
    return changed;
  }
  const std::string kind = TextOf(node, "class");
  if (!node.is_object() || kind == "SUBQUERY" || kind == "LAMBDA") return false;
  const auto found = aliases.find(ColumnOf(node));
  if (found == aliases.end()) {
    bool changed = false;
    for (auto& [key, child] : node.items()) changed = Replace(child, aliases) || changed;
    return changed;
  }
  if (found->second == nullptr || TextOf(*found->second, "alias").empty()) return false;
  Json column = *found->second;
  column["alias"] = "";
  column["query_location"] = node.value("query_location", Json());
  node = std::move(column);
  return true;
}

}  // namespace

bool OrderByAliases(Json& select) {
  if (TextOf(select, "type") != "SELECT_NODE" || !select.contains("modifiers")) return false;
  const Json list = select.value("select_list", Json::array());
  const auto aliases = AliasesOf(list);
  bool changed = false;
  for (Json& modifier : select["modifiers"]) {
    if (TextOf(modifier, "type") != "ORDER_MODIFIER" || aliases.empty()) continue;
    for (Json& order : modifier["orders"]) {
      Json& expression = order["expression"];
      if (ColumnOf(expression).empty()) changed = Replace(expression, aliases) || changed;
    }
  }
  return changed;
}

}  // namespace protium
