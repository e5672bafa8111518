// SPDX-License-Identifier: Apache-2.0
#include "sql_types/scope.h"

#include <algorithm>

#include "base/text.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"

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

bool IsOpen(const Scope& scope) {
  return std::any_of(scope.relations.begin(), scope.relations.end(),
                     [](const Relation& relation) { return relation.open; });
}

// Finds a column among the relations. Sets `open` if a relation before it may also have a column of
// that name.
const SqlColumn* InRelations(const Scope& scope, const std::string& lower, bool& open) {
  for (const Relation& relation : scope.relations) {
    if (const SqlColumn* const found = ColumnNamed(relation.columns, lower)) return found;
    open = open || relation.open;
  }
  return nullptr;
}

// Finds a name at one level: columns of tables come before names of the select list, as in Spark,
// except that a lambda's parameters come before everything. Sets `ends` if outer levels no longer
// matter.
SqlType FindAt(const Scope& at, const std::string& lower, bool& ends) {
  bool open = false;
  ends = true;
  const SqlColumn* const alias = ColumnNamed(at.aliases, lower);
  if (alias != nullptr && at.aliases_first) return alias->type;
  const SqlColumn* const found = InRelations(at, lower, open);
  if (found != nullptr && !IsOpen(at)) {
    for (const Output& output : at.outputs) {
      if (Lower(output.column.name) == lower) return output.column.type;
    }
  }
  // An open relation may have the same name: then DuckDB decides, or calls it ambiguous.
  if (found != nullptr) return open ? SqlType{} : found->type;
  if (open) return {};
  if (alias != nullptr) return alias->type;
  ends = false;
  return {};
}

// t.a: the innermost relation called t decides, even if it has no column a.
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

std::vector<std::string> LowerNames(const Json& names) {
  std::vector<std::string> parts;
  for (const Json& name : names) {
    if (name.is_string()) parts.push_back(Lower(name.get<std::string>()));
  }
  return parts;
}

std::ptrdiff_t CountNamed(const std::vector<SqlColumn>& columns, const std::string& lower) {
  return std::count_if(columns.begin(), columns.end(),
                       [&](const SqlColumn& column) { return Lower(column.name) == lower; });
}

// Adds the columns of one relation: first those by which USING joins it.
void AddRelation(const Scope& scope, size_t i, std::vector<Output>& outputs) {
  const Relation& relation = scope.relations[i];
  for (const std::string& key : relation.keys) {
    if (const SqlColumn* const column = ColumnNamed(relation.columns, key)) {
      outputs.push_back({*column, i});
    }
  }
  for (const SqlColumn& column : relation.columns) {
    if (!Holds(relation.keys, Lower(column.name))) outputs.push_back({column, i});
  }
}

// t.a: whether the innermost relation t has several columns a.
NameFault CheckQualified(const Scope& scope, const std::string& table, const std::string& lower) {
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    for (const Relation& relation : at->relations) {
      if (Lower(relation.name) != table) continue;
      if (at->hidden) return NameFault::kBeside;
      return CountNamed(relation.columns, lower) > 1 ? NameFault::kAmbiguous : NameFault::kRight;
    }
  }
  return NameFault::kRight;
}

// Whether EXCEPT (a, b) names it; t.a has its own list in DuckDB's tree.
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

// Searches from the inside out.
NamedColumn FindNamed(const Scope& scope, const Json& names) {
  const std::vector<std::string> parts = LowerNames(names);
  bool ends = false;
  for (const Scope* at = &scope; at != nullptr && !parts.empty(); at = at->outer) {
    if (parts.size() > 1) {
      SqlType type = FindQualified(*at, parts[0], parts[1], ends);
      if (ends) return {std::move(type), 2, at};
    }
    SqlType type = FindAt(*at, parts[0], ends);
    if (ends) return {std::move(type), 1, at};
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

// Searches from the inside out, as FindPlain() does.
NameFault CheckName(const Scope& scope, const Json& names) {
  const std::vector<std::string> parts = LowerNames(names);
  if (parts.size() == 2) return CheckQualified(scope, parts[0], parts[1]);
  if (parts.size() != 1) return NameFault::kRight;
  bool own = true;  // Not yet in an outer query.
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    const bool alias = CountNamed(at->aliases, parts[0]) > 0;
    if (alias && at->aliases_first) return NameFault::kRight;
    if (at->results != nullptr && CountNamed(*at->results, parts[0]) > 0) return NameFault::kRight;
    if (IsOpen(*at)) return NameFault::kRight;
    const auto found =
        std::count_if(at->outputs.begin(), at->outputs.end(),
                      [&](const Output& output) { return Lower(output.column.name) == parts[0]; });
    if (found > 0 && at->hidden) return NameFault::kBeside;
    if (found > 0) return found > 1 ? NameFault::kAmbiguous : NameFault::kRight;
    if (alias) return own && !at->aliases_unseen ? NameFault::kRight : NameFault::kUnseen;
    const bool table =
        std::any_of(at->relations.begin(), at->relations.end(),
                    [&](const Relation& relation) { return Lower(relation.name) == parts[0]; });
    if (table) return NameFault::kTable;
    own = own && at->aliases_first;
  }
  return NameFault::kRight;
}

bool IsAlias(const Scope& scope, const Json& names) {
  const std::vector<std::string> parts = LowerNames(names);
  bool open = false;
  return parts.size() == 1 && !scope.aliases_first && CountNamed(scope.aliases, parts[0]) > 0 &&
         InRelations(scope, parts[0], open) == nullptr && !open;
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

bool ExpandStar(const Scope& scope, const Json& star, std::vector<Output>& outputs) {
  const std::string table = Lower(tree::Text(star, "relation_name"));
  // Only DuckDB has COLUMNS(...) and RENAME.
  if (star.value("columns", false) || !star.value("rename_list", Json::array()).empty()) {
    return false;
  }
  if (table.empty() && IsOpen(scope)) return false;
  std::vector<Output> all = table.empty() ? scope.outputs : std::vector<Output>();
  bool found = table.empty();
  for (size_t i = 0; !table.empty() && i < scope.relations.size(); ++i) {
    if (Lower(scope.relations[i].name) != table) continue;
    if (scope.relations[i].open) return false;
    AddRelation(scope, i, all);
    found = true;
  }
  if (!found) return false;  // The fields of a struct.
  for (Output& output : all) {
    if (!IsExcluded(star, Lower(output.column.name))) outputs.push_back(std::move(output));
  }
  return true;
}

Json ValueOf(const Scope& scope, const Output& output) {
  if (!output.joined.is_null()) return output.joined;
  Json column = tree::ColumnRef(output.column.name);
  const std::string& table = scope.relations[output.relation].name;
  if (!table.empty()) column["column_names"] = Json::array({table, output.column.name});
  return column;
}

}  // namespace protium
