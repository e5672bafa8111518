// SPDX-License-Identifier: Apache-2.0
// Questions about the expressions of one SELECT without its subqueries, and rewrites that depend on
// all of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// Whether nodes are equal apart from their names and their positions in the text.
bool IsSame(const Json& a, const Json& b);

// Whether a node calls a function that makes rows, such as explode().
bool IsGenerator(const Json& node);
int CountGenerators(const Json& list);

// Whether a node contains a window, or an aggregate.
bool HoldsWindow(const Json& node);
bool HoldsAggregate(const Json& node);
bool HoldsQuery(const Json& node);

// The positions in the text where this node and the nodes within it begin.
std::set<uint64_t> FindPlaces(const Json& node);

// The name of a column in the result; empty where the engine invents one.
std::string ResultName(const Json& column);

// Whether any column is or contains a double or float.
bool AnyReal(const std::vector<SqlColumn>& columns);

// Whether the SELECT is DISTINCT.
bool IsDistinct(const Json& select);

// GROUP BY with several sets of columns: for the empty set, Spark alone returns no row if there are
// no rows. Makes DuckDB do the same.
void DropEmptyTotals(Json& select);

// -0.0 and 0.0 are one key. Spark retains the values that it sorts and returns 0.0 for those that
// it groups by; DuckDB returns 0.0 for what it sorts and the first value of a group. Rewrites a key
// of `type` so that -0.0 becomes 0.0; leaves types other than double and float as they are.
void MergeZeros(Json& key, const SqlType& type);
// The same for a list or a struct, with all zeros in it.
void MergePartZeros(Json& key, const SqlType& type);

// The same for an expression of ORDER BY, of that type. A name from the select list, or a position
// in it, is replaced by its expression. `columns` are those of the result.
void SortZeros(Json& order, const SqlType& type, const Json& list,
               const std::vector<SqlColumn>& columns);

// The same for keys of GROUP BY of these types, including the zeros inside them, wherever the
// SELECT repeats them; and for what a SELECT DISTINCT shows.
void GroupZeros(Json& select, const std::vector<SqlType>& types,
                const std::vector<SqlColumn>& columns);

}  // namespace protium
