// SPDX-License-Identifier: Apache-2.0
// Which columns a name may mean where an expression stands.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "sql/types/sql_type.h"

namespace protium {

// A table, or what takes a table's place, under its name in FROM.
struct Relation {
  std::string name;
  std::vector<SqlColumn> columns;
  bool open = false;                // It has columns that are not known.
  std::vector<std::string> merged;  // Columns that USING took together with another table's.
};

// Names of one query. A query within another finds the names of that one by `outer`, which outlives
// it.
struct Scope {
  std::vector<Relation> relations;
  std::vector<SqlColumn> aliases;  // Named in the list of columns so far.
  bool aliases_first = false;      // As of a lambda's parameters.
  const Scope* outer = nullptr;
};

// The type of a COLUMN_REF's column; unknown for a name that is not there, which DuckDB then tells.
SqlType FindColumn(const Scope& scope, const Json& names);

// Columns get the names of a list such as t(a, b), as far as it goes.
void RenameColumns(const Json& names, std::vector<SqlColumn>& columns);

// What * stands for, or t.* with a name of a relation. False where that is not known.
bool ExpandStar(const Scope& scope, const Json& star, std::vector<SqlColumn>& columns);

}  // namespace protium
