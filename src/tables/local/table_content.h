// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/handles.h"
#include "sql/kept_rows.h"

namespace protium {

// Names the rows of a table by what they hold, in any order: 64 hexadecimal digits from the names
// and types of the columns (without marks), the number of rows, and two sums of 64-bit hashes of
// the rows. Two tables with the same name have the same rows, but for the bits of a NaN. Reads the
// table once.
Result<std::string> TableContent(const duck::Connection& connection, const std::string& table,
                                 const KeptRows& rows);

}  // namespace protium
