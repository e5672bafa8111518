// SPDX-License-Identifier: Apache-2.0
// How long each operator of a statement took, as DuckDB measures it while running; the times of
// parallel threads are added up.
#pragma once

#include <string>

#include "base/json.h"
#include "duckdb/handles.h"

namespace protium {

// From now on DuckDB measures the statements of this connection.
Status CountOperatorTimes(const duck::Connection& connection);

// Returns the times of the statement that ran last: {"seconds", "cpu_seconds", "operators":
// [{"name", "depth", "seconds", "rows", "scanned", "what"}]}, each operator before those that it
// reads from. "rows" counts what it produced, "scanned" what it read from files or tables; "what"
// is DuckDB's own description. Returns an empty object if nothing was measured.
Json OperatorTimes(const duck::Connection& connection);

}  // namespace protium
