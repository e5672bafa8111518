// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <string_view>

#include "base/status.h"

namespace protium {

// Turns a message of DuckDB's into a fault of ours: bad SQL exits as kUsage with the place and the
// nearest names, bad data as kInput, memory and disk as kNoRoom, an interruption as Cancelled.
Status DuckDbFault(std::string_view message, duckdb_error_type type);

}  // namespace protium
