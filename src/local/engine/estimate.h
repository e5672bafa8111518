// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/duckdb/handles.h"

namespace protium {

// Registers the table function pt_estimate(rows, NULL::STRUCT(a BIGINT, ...)): a table of those
// columns without a row, of which the optimiser believes that it has `rows`. In a UNION ALL it
// tells the size of the other side, where DuckDB knows none: it takes every CSV file that is read
// without being sniffed for 42 rows, and builds hash tables of joins from the wrong side.
Status RegisterEstimate(const duck::Connection& connection);

}  // namespace protium
