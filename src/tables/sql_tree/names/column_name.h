// SPDX-License-Identifier: Apache-2.0
// The name that Spark gives to a result column that the query does not name: its expression in
// Spark's own spelling (toPrettySQL), such as sum(x), (a + 1) or CASE WHEN (a = 1) THEN x END.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// What names depend on besides the tree of the expression.
struct NameSource {
  // The user's text from where a node of the tree begins; empty where that is not known.
  std::function<std::string_view(const Json& node)> text;
  // The type of the column that "column_names" mean; unknown where it is not known.
  std::function<SqlType(const Json& names)> column;
  // Whether a table or subquery in FROM has this name.
  std::function<bool(const std::string& name)> table;
};

// Saves the select lists of a statement as they were parsed, before anything is rewritten, in a
// member of each SELECT.
void KeepColumns(Json& tree);

// Returns the saved form of the column at `index`; null for a column that has a name, and for a
// list whose columns have changed since.
Json KeptColumn(const Json& select, size_t index);

// Undoes KeepColumns(): DuckDB does not know that member.
void DropColumns(Json& tree);

// Returns the name of a column as it was parsed. Expressions that Spark has no spelling for get a
// similar one: a name is never empty.
std::string ColumnName(const Json& column, const NameSource& source);

}  // namespace protium
