// SPDX-License-Identifier: Apache-2.0
// How long each operator of a statement took, as DuckDB counts it while it runs: threads count
// beside each other.
#pragma once

#include <string>

#include "base/json.h"
#include "duckdb/handles.h"

namespace protium {

// From now on DuckDB counts in statements of this connection.
Status CountOperatorTimes(const duck::Connection& connection);

// Of the statement that ran last: {"seconds", "cpu_seconds", "operators": [{"name", "depth",
// "seconds", "rows", "scanned", "what"}]}, an operator before those that it reads from. "rows" are
// those that it gave, "scanned" those that it read from files or tables, "what" its own words. An
// empty object where nothing was counted.
Json OperatorTimes(const duck::Connection& connection);

}  // namespace protium
