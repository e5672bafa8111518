// SPDX-License-Identifier: Apache-2.0
// How many rows the tables of a job have, as far as that is known without reading them.
#pragma once

#include <string>

#include "base/json.h"
#include "protium/session.h"

namespace protium {

// Returns a list of {"table", "bytes", "rows", "exact"}, in the order of the job. For Parquet, and
// tables stored as Parquet, the footers have the count; for CSV it is estimated: the files' size
// divided by the length of lines in a few samples, so that line breaks within cells count as rows.
// A table of a database has "place", and what the database itself estimates, in one query for each
// database. "rows" and "bytes" are missing if unknown. Files that cannot be read have neither.
Json CountRows(Session& session);

// The same as a text table, one line per table: "flights  about 30,000 rows, estimated
// from samples of its 1.9 MiB"; of a source another line says what is read of it, by `reads`
// (EnginePlan::reads).
std::string RowCountsText(const Json& tables, const Json& reads);

}  // namespace protium
