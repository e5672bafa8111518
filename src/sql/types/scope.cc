// SPDX-License-Identifier: Apache-2.0
#include "sql/types/scope.h"

#include <algorithm>

#include "base/ascii.h"
#include "sql/tree.h"
#include "sql/types/nested_type.h"

namespace protium {
namespace {

const SqlColumn* ColumnNamed(const std::vector<SqlColumn>& columns, const std::string& lower) {
  for (const SqlColumn& column : columns) {
    if (Lower(column.name) == lower) return &column;
  }
  return nullptr;
}

bool Holds(const std::vector<std::string>& names, const std::string& lower) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return Lower(name) == lower; });
}

// Finds a column among the relations. Sets `open` if a relation before it may have a column of that
// name, too.
const SqlColumn* InRelations(const Scope& scope, const std::string& lower, bool& open) {
  for (const Relation& relation : scope.relations) {
    if (const SqlColumn* const found = ColumnNamed(relation.columns, lower)) return found;
    open = open || relation.open;
  }
  return nullptr;
}

// A name at one level: columns of tables come before names of the select list, as in Spark, except
// that a lambda's parameters come before everything. Sets `ends` where outer levels are of no
// concern any more.
SqlType FindAt(const Scope& at, const std::string& lower, bool& ends) {
  bool open = false;
  ends = true;
  const SqlColumn* const alias = ColumnNamed(at.aliases, lower);
  if (alias != nullptr && at.aliases_first) return alias->type;
  const SqlColumn* const found = InRelations(at, lower, open);
  // An open relation may have the same name: then DuckDB decides, or calls it ambiguous.
  if (found != nullptr) return open ? SqlType{} : found->type;
  if (open) return {};
  if (alias != nullptr) return alias->type;
  ends = false;
  return {};
}

// t.a: the innermost relation called t decides, also if it has no column a.
SqlType FindQualified(const Scope& at, const std::string& table, const std::string& lower,
                      bool& ends) {
  ends = false;
  if (at.aliases_first && ColumnNamed(at.aliases, table) != nullptr) return {};
  for (const Relation& relation : at.relations) {
    if (Lower(relation.name) != table) continue;
    const SqlColumn* const found = ColumnNamed(relation.columns, lower);
    ends = found != nullptr || relation.open || ColumnNamed(relation.columns, table) == nullptr;
    return found == nullptr ? SqlType{} : found->type;
  }
  return {};
}

// Whether EXCEPT (a, b) names it; t.a has a list of its own in DuckDB's tree.
bool IsExcluded(const Json& star, const std::string& lower) {
  for (const Json& name : star.value("exclude_list", Json::array())) {
    if (name.is_string() && Lower(name.get<std::string>()) == lower) return true;
  }
  for (const Json& name : star.value("qualified_exclude_list", Json::array())) {
    if (Lower(tree::Text(name, "column")) == lower) return true;
  }
  return false;
}

}  // namespace

// Looks from the inside out.
NamedColumn FindNamed(const Scope& scope, const Json& names) {
  std::vector<std::string> parts;
  for (const Json& name : names) {
    if (name.is_string()) parts.push_back(Lower(name.get<std::string>()));
  }
  bool ends = false;
  for (const Scope* at = &scope; at != nullptr && !parts.empty(); at = at->outer) {
    if (parts.size() > 1) {
      SqlType type = FindQualified(*at, parts[0], parts[1], ends);
      if (ends) return {std::move(type), 2};
    }
    SqlType type = FindAt(*at, parts[0], ends);
    if (ends) return {std::move(type), 1};
  }
  return {};
}

SqlType FindColumn(const Scope& scope, const Json& names) {
  NamedColumn found = FindNamed(scope, names);
  for (size_t i = found.names; i < names.size(); ++i) {
    const int field = FindFieldOf(found.type, names[i].get<std::string>());
    if (field < 0) return {};
    found.type = found.type.Fields()[static_cast<size_t>(field)].type;
  }
  return found.type;
}

bool HasOtherCapitals(const Scope& scope, const std::string& name) {
  const std::string lower = Lower(name);
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    for (const Relation& relation : at->relations) {
      const SqlColumn* const found = ColumnNamed(relation.columns, lower);
      if (found != nullptr && found->name != name) return true;
    }
  }
  return false;
}

void RenameColumns(const Json& names, std::vector<SqlColumn>& columns) {
  if (!names.is_array()) return;
  for (size_t i = 0; i < names.size() && i < columns.size(); ++i) {
    if (names[i].is_string()) columns[i].name = names[i].get<std::string>();
  }
}

bool ExpandStar(const Scope& scope, const Json& star, std::vector<SqlColumn>& columns) {
  const std::string table = Lower(tree::Text(star, "relation_name"));
  // COLUMNS(...) and RENAME are DuckDB's alone.
  if (star.value("columns", false) || !star.value("rename_list", Json::array()).empty()) {
    return false;
  }
  for (const Relation& relation : scope.relations) {
    if (!table.empty() && Lower(relation.name) != table) continue;
    if (relation.open) return false;
    for (const SqlColumn& column : relation.columns) {
      const std::string lower = Lower(column.name);
      if (IsExcluded(star, lower) || (table.empty() && Holds(relation.merged, lower))) continue;
      columns.push_back(column);
    }
  }
  return true;
}

}  // namespace protium
