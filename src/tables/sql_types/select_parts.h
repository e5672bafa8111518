// SPDX-License-Identifier: Apache-2.0
// Questions about the expressions of one SELECT, subqueries left out, and what depends on all of
// them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// Whether nodes are the same but for their names and places in the text.
bool IsSame(const Json& a, const Json& b);

// Whether a node calls a function that makes rows: explode() and the like.
bool IsGenerator(const Json& node);
int CountGenerators(const Json& list);

// Whether there is a window, or an aggregate, within a node.
bool HoldsWindow(const Json& node);
bool HoldsAggregate(const Json& node);
bool HoldsQuery(const Json& node);

// Where the nodes within this one, and it itself, begin in the text.
std::set<uint64_t> FindPlaces(const Json& node);

// The name of a column in the result; empty where the engine invents one.
std::string ResultName(const Json& column);

// Whether a column is a double or float, or has one in it.
bool AnyReal(const std::vector<SqlColumn>& columns);

// Whether the SELECT is DISTINCT.
bool IsDistinct(const Json& select);

// GROUP BY with several sets of columns has no row for the empty set where there are no rows, in
// Spark alone.
void DropEmptyTotals(Json& select);

// -0.0 and 0.0 are one key. Spark keeps the values that it sorts and gives 0.0 for those that it
// groups by; DuckDB gives 0.0 for what it sorts and the first value of a group. Writes a key of
// `type` so that it is 0.0; leaves all but doubles and floats as they are.
void MergeZeros(Json& key, const SqlType& type);
// The same for a list or a struct, with all zeros in it.
void MergePartZeros(Json& key, const SqlType& type);

// The same for an expression of ORDER BY, of that type. A name of the select list, or its place,
// is replaced by its expression. `columns` are those of the result.
void SortZeros(Json& order, const SqlType& type, const Json& list,
               const std::vector<SqlColumn>& columns);

// The same for keys of GROUP BY, of these types and with the zeros in them, wherever the SELECT
// repeats them; and for what a SELECT DISTINCT shows.
void GroupZeros(Json& select, const std::vector<SqlType>& types,
                const std::vector<SqlColumn>& columns);

}  // namespace protium
