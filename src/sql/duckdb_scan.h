// SPDX-License-Identifier: Apache-2.0
// A Scan's files as a table of DuckDB's.
#pragma once

#include <string>

#include "plan/node.h"

namespace protium {

// A SELECT of all columns. `rows` are to be expected; -1: unknown.
Result<std::string> DuckDbScan(const Scan& scan, int64_t rows);

}  // namespace protium
