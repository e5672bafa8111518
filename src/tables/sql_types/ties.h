// SPDX-License-Identifier: Apache-2.0
// Rows that tie in the order of a window: DuckDB puts them in any order, another one in every run
// that has several threads.
#pragma once

#include "base/json.h"
#include "sql_types/scope.h"

namespace protium {

// Adds to the order of the windows of a typed SELECT without groups, where their values depend on
// rows that tie, a hash of what the SELECT reads of a row: rows that still tie are alike, so it
// does not matter which comes first. Leaves windows whose frame counts such rows together, and a
// SELECT that reads columns which are not known or not comparable to the last bit.
void BreakTies(Json& select, const Scope& scope);

// Whether the value of some window in a typed tree depends on the order of rows that tie.
bool HasTies(const Json& tree);

}  // namespace protium
