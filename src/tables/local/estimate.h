// SPDX-License-Identifier: Apache-2.0
// Tells DuckDB's optimiser how many rows a CSV file has.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers the table function pt_estimate(rows, NULL::STRUCT(a BIGINT, ...)): a table of those
// columns without any row, which the optimiser believes to have `rows`. In a UNION ALL with a scan
// it supplies the size that DuckDB does not know: it takes every CSV file that is read without
// sniffing for 42 rows, and would build the hash tables of joins from the wrong side.
Status RegisterEstimate(const duck::Connection& connection);

}  // namespace protium
