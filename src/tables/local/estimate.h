// SPDX-License-Identifier: Apache-2.0
// Informs DuckDB's optimiser of how many rows a CSV file has.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers the table function pt_estimate(rows, NULL::STRUCT(a BIGINT, ...)): an empty table of
// those columns that the optimiser believes to have `rows` rows. In a UNION ALL with a scan it
// supplies the size that DuckDB does not know: DuckDB assumes 42 rows for every CSV file that it
// reads without sniffing, and would build the hash tables of joins from the wrong side.
Status RegisterEstimate(const duck::Connection& connection);

}  // namespace protium
