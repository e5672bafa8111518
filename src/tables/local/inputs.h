// SPDX-License-Identifier: Apache-2.0
// A plan's input files: which they are, whether they can be read, how large they are, and what is
// wrong with them where DuckDB's own message is unclear.
#pragma once

#include "plan/node.h"

namespace protium {

// The files of all Scans and sources below `plan`; the folder of a Delta table ends with a slash.
std::vector<std::string> ListFiles(const Plan& plan);
// The sources below `plan`, each once.
std::vector<Source> ListSources(const Plan& plan);

// Whether `plan` contains text that a person wrote, as opposed to nodes that we write as SQL.
bool HasSqlText(const Plan& plan);

// Returns a Fault if a file of any Scan below is missing or cannot be read.
Status CheckFiles(const Plan& plan);

// Estimates how many rows the Scan's files have, from their sizes and the lines in the first 64 KiB
// of the first file; -1 for Parquet, which records it, and if files cannot be read.
int64_t ExpectedRows(const Scan& scan);

// Replaces DuckDB's message about bad CSV with ours, which names file, line, column and value, if a
// scan below `plan` contains the cause; and suggests the nearest names if a column is unknown.
// Returns other statuses as they are. Reads the CSV files again.
Status RefineStatus(const Status& status, const Plan& plan);

}  // namespace protium
