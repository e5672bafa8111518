// SPDX-License-Identifier: Apache-2.0
// Names: which column a name means where an expression stands, and of which type it is. Scopes are
// nested as queries are; a name that cannot be resolved for sure has no type, and is left to
// DuckDB.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "sql/types/sql_type.h"

namespace protium {

// A table, or what takes its place, under its name in FROM. Names are compared without regard to
// case.
struct Relation {
  std::string name;
  std::vector<SqlColumn> columns;
  bool open = false;                // It may have columns that are not listed.
  std::vector<std::string> merged;  // In lower case: joined by USING, so * shows them once.
};

// The names that one query sees. A query within another finds the names around it by `outer`, which
// outlives it.
struct Scope {
  std::vector<Relation> relations;
  std::vector<SqlColumn> aliases;  // Named in the select list so far.
  bool aliases_first = false;      // For a lambda's parameters, which hide columns.
  const Scope* outer = nullptr;
};

// The type of the column that a COLUMN_REF names, by its "column_names"; unknown if there is none,
// which DuckDB then reports, or if it may be another one of an open relation.
SqlType FindColumn(const Scope& scope, const Json& names);

// What the names of a COLUMN_REF begin with: a column, with or without its table's name. Names
// beyond the first `names` are fields of it. No names and an unknown type where FindColumn() finds
// nothing.
struct NamedColumn {
  SqlType type;
  size_t names = 0;
};
NamedColumn FindNamed(const Scope& scope, const Json& names);

// Whether a table spells a column that `name` may mean with other capitals than `name`.
bool HasOtherCapitals(const Scope& scope, const std::string& name);

// Renames columns by a list as in t(a, b), as far as it goes.
void RenameColumns(const Json& names, std::vector<SqlColumn>& columns);

// Appends the columns that * stands for, or t.* with the name of a relation, without those that
// EXCEPT names. False, with `columns` of no use, where that is not known.
bool ExpandStar(const Scope& scope, const Json& star, std::vector<SqlColumn>& columns);

}  // namespace protium
