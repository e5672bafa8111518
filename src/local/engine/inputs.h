// SPDX-License-Identifier: Apache-2.0
// What can be said about a plan's input files beyond what DuckDB says.
#pragma once

#include "plan/node.h"

namespace protium {

// The files of all Scans below `plan`.
std::vector<std::string> FilesOf(const Plan& plan);

// Whether text that a person wrote stands in `plan`.
bool HasSqlText(const Plan& plan);

// Finds a file of a Scan below that is missing or unreadable.
Status CheckFiles(const Plan& plan);

// About how many rows the Scan's files have, from their sizes and the length of the first lines;
// -1 for Parquet, which says so itself, and where files cannot be read.
int64_t ExpectedRows(const Scan& scan);

// Replaces DuckDB's account of bad CSV by ours, with file, line, column and value, where a scan
// below `plan` turns out to hold the cause, and names the nearest columns where one is unknown;
// other statuses stay.
Status Sharpen(const Status& status, const Plan& plan);

}  // namespace protium
