// SPDX-License-Identifier: Apache-2.0
// A plan's input files: which they are, whether they can be read, how large they are, and what is
// wrong with them where DuckDB says it badly.
#pragma once

#include "plan/node.h"

namespace protium {

// The files of all Scans and NamedTables below `plan`.
std::vector<std::string> ListFiles(const Plan& plan);
// Of these, the DuckDB databases.
std::vector<std::string> ListDatabases(const Plan& plan);

// Whether `plan` contains text that a person wrote, as opposed to nodes that we write as SQL.
bool HasSqlText(const Plan& plan);

// A Fault if a file of any Scan below is missing or cannot be read.
Status CheckFiles(const Plan& plan);

// About how many rows the Scan's files have, from their sizes and the lines in the first 64 KiB of
// the first file; -1 for Parquet, which says so itself, and if files cannot be read.
int64_t ExpectedRows(const Scan& scan);

// Replaces DuckDB's account of bad CSV by ours, with file, line, column and value, if a scan below
// `plan` turns out to hold the cause; and names the nearest columns if one is unknown. Other
// statuses are returned as they are. Reads the CSV files again.
Status RefineStatus(const Status& status, const Plan& plan);

}  // namespace protium
