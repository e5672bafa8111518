// SPDX-License-Identifier: Apache-2.0
// Names: which column a name means in an expression, and its type. Scopes are nested as queries
// are; a name that cannot be resolved with certainty has no type and is left to DuckDB.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// A table, or what replaces one, under its name in FROM. Names are compared case-insensitively.
struct Relation {
  std::string name;
  std::vector<SqlColumn> columns;
  bool open = false;  // Whether it may have columns that are not listed.
  // The columns, in lower case, by which USING joins it. They come first where * shows it, in
  // Spark's order.
  std::vector<std::string> keys;
};

// A column as * shows it.
struct Output {
  SqlColumn column;
  size_t relation = 0;  // Index in Scope::relations.
  // The value of a column that USING joined: a column of one side or coalesce() of both. Null
  // otherwise.
  Json joined = nullptr;
};

// The names that one query sees. A query within another finds the surrounding names through
// `outer`, which outlives it.
struct Scope {
  std::vector<Relation> relations;
  // What * stands for, in Spark's order, as long as no relation is open: the columns by which USING
  // joins come first, once.
  std::vector<Output> outputs;
  bool reordered = false;          // Whether DuckDB has them in another order.
  std::vector<SqlColumn> aliases;  // Named in the select list so far.
  bool aliases_first = false;      // For a lambda's parameters, which hide columns.
  bool aliases_unseen = false;     // For WHERE, which does not see names of the select list.
  // For ORDER BY and HAVING: the columns of the result, which take precedence over those of the
  // tables.
  const std::vector<SqlColumn>* results = nullptr;
  // Whether the query in FROM that is being typed may not name these tables, as it lacks LATERAL.
  bool hidden = false;
  // Whether a query within this one has named a column of this one or of one around it.
  mutable bool read_within = false;
  const Scope* outer = nullptr;
};

// Returns the type of the column that a COLUMN_REF names, by its "column_names"; unknown if there
// is none, which DuckDB reports later, or if it may be another column of an open relation.
SqlType FindColumn(const Scope& scope, const Json& names);

// What is wrong with a name by Spark's rules although DuckDB accepts it; kRight also if that is not
// known.
enum class NameFault { kRight, kAmbiguous, kUnseen, kTable, kBeside };
NameFault CheckName(const Scope& scope, const Json& names);

// Whether the name means an earlier column of the select list.
bool IsAlias(const Scope& scope, const Json& names);
// What the names of a COLUMN_REF begin with: a column, with or without its table's name. Names
// beyond the first `names` are its fields. No names and an unknown type where FindColumn() finds
// nothing.
struct NamedColumn {
  SqlType type;
  size_t names = 0;
  const Scope* at = nullptr;  // Where it was found.
};
NamedColumn FindNamed(const Scope& scope, const Json& names);

// Whether a table spells a column that `name` may mean with different capitals.
bool HasOtherCapitals(const Scope& scope, const std::string& name);

// Renames columns by a list as in t(a, b), as far as the list goes.
void RenameColumns(const Json& names, std::vector<SqlColumn>& columns);

// Appends what * stands for, or t.* with the name of a relation, without the names in EXCEPT.
// Returns false, leaving `outputs` unspecified, if that is not known.
bool ExpandStar(const Scope& scope, const Json& star, std::vector<Output>& outputs);

// Returns the expression of an output.
Json ValueOf(const Scope& scope, const Output& output);

}  // namespace protium
