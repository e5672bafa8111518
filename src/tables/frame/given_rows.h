// SPDX-License-Identifier: Apache-2.0
// Makes a table of rows given in memory. They pass once, a few batches at a time, into a Parquet
// file of the session (BroughtTables::NewFile()), which engines and workers read like any other: so
// no table is held twice, and a gang that restarts can read its rows again.
#pragma once

#include <cstdint>
#include <string>

#include "base/call.h"
#include "plan/node.h"
#include "protium/stream.h"

namespace protium {

// The number of rows converted at a time.
inline constexpr int64_t kSliceRows = 64 << 10;

// Reads `rows` to the end and returns the table. Any thread. The file is removed with the last plan
// that holds the result. Faults of Exit::kInput name the table's column; ends with Exit::kStopped
// when `call` requests it.
Result<Plan> KeepRows(const std::string& name, const std::string& file, BatchStream& rows,
                      const Call& call);

}  // namespace protium
