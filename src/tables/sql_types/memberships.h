// SPDX-License-Identifier: Apache-2.0
// x IN (SELECT ...) in DuckDB's tree, where it is a comparison with ANY of a query's rows.
#pragma once

#include "base/json.h"

namespace protium {

// Whether a node is x IN (SELECT ...), or (a, b) IN (SELECT ...).
bool IsSoughtIn(const Json& node);

// Returns the node as EXISTS (SELECT ... WHERE x = pt_1), with a condition for each column if rows
// are compared: DuckDB compares rows as structs, in which NULL is a value. If the node stands
// behind NOT (`negated`), a comparison that is NULL counts as equal, as in Spark, so that NOT IN is
// false for it.
Json AsExists(const Json& node, bool negated);

// Does the same for all such nodes within a condition.
void MakeExists(Json& condition);

}  // namespace protium
