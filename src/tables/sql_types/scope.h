// SPDX-License-Identifier: Apache-2.0
// Names: which column a name means where an expression stands, and of which type it is. Scopes are
// nested as queries are; a name that cannot be resolved for sure has no type, and is left to
// DuckDB.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// A table, or what takes its place, under its name in FROM. Names are compared without regard to
// case.
struct Relation {
  std::string name;
  std::vector<SqlColumn> columns;
  bool open = false;  // It may have columns that are not listed.
  // In lower case: by which USING joins it. They come first where * shows it, in Spark's order.
  std::vector<std::string> keys;
};

// A column as * shows it.
struct Output {
  SqlColumn column;
  size_t relation = 0;  // Of Scope::relations, as is its place there.
  // Where USING joined it: its value, a column of one side or coalesce() of both. Null elsewhere.
  Json joined = nullptr;
};

// The names that one query sees. A query within another finds the names around it by `outer`, which
// outlives it.
struct Scope {
  std::vector<Relation> relations;
  // What * stands for, in Spark's order, as far as no relation is open: the columns by which USING
  // joins come first, once.
  std::vector<Output> outputs;
  bool reordered = false;          // Whether DuckDB has them in another order.
  std::vector<SqlColumn> aliases;  // Named in the select list so far.
  bool aliases_first = false;      // For a lambda's parameters, which hide columns.
  bool aliases_unseen = false;     // For WHERE, which does not see names of the select list.
  // For ORDER BY and HAVING: the columns of the result, which come before those of the tables.
  const std::vector<SqlColumn>* results = nullptr;
  // Whether the query in FROM that is being typed may not name these tables, for want of LATERAL.
  bool hidden = false;
  // Whether a query within this one has named a column of this one or of one around it.
  mutable bool read_within = false;
  const Scope* outer = nullptr;
};

// The type of the column that a COLUMN_REF names, by its "column_names"; unknown if there is none,
// which DuckDB then reports, or if it may be another one of an open relation.
SqlType FindColumn(const Scope& scope, const Json& names);

// What is wrong with a name by Spark's rules, though DuckDB takes it; kRight also where that is not
// known.
enum class NameFault { kRight, kAmbiguous, kUnseen, kTable, kBeside };
NameFault CheckName(const Scope& scope, const Json& names);

// Whether the name means an earlier column of the select list.
bool IsAlias(const Scope& scope, const Json& names);
// What the names of a COLUMN_REF begin with: a column, with or without its table's name. Names
// beyond the first `names` are fields of it. No names and an unknown type where FindColumn() finds
// nothing.
struct NamedColumn {
  SqlType type;
  size_t names = 0;
  const Scope* at = nullptr;  // Where it was found.
};
NamedColumn FindNamed(const Scope& scope, const Json& names);

// Whether a table spells a column that `name` may mean with other capitals than `name`.
bool HasOtherCapitals(const Scope& scope, const std::string& name);

// Renames columns by a list as in t(a, b), as far as it goes.
void RenameColumns(const Json& names, std::vector<SqlColumn>& columns);

// Appends what * stands for, or t.* with the name of a relation, without what EXCEPT names. False,
// and `outputs` is unspecified, where that is not known.
bool ExpandStar(const Scope& scope, const Json& star, std::vector<Output>& outputs);

// The expression of an output.
Json ValueOf(const Scope& scope, const Output& output);

}  // namespace protium
