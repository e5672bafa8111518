// SPDX-License-Identifier: Apache-2.0
// What other engines have the embedded engine do, through its library: it opens databases and
// object stores from the driver, and writes rows into tables of databases, whichever engine made
// them.
#pragma once

#include "column/stream.h"
#include "engine/library.h"
#include "plan/node.h"

namespace protium {

// The embedded engine's library has a second EngineEntry, protium_open_tables, for an engine
// without workers: it opens and reads tables, and runs no tasks.

// The embedded engine's library also has this entry, as protium_store_rows: see EngineEntry. Writes
// all of `rows` as a plan with `store` would, and sets `stored` to their number. Of `request` it
// takes how much memory it may use, and where it may spill.
using StoreRowsEntry = bool (*)(int32_t version, const EngineRequest& request, BatchStream& rows,
                                const Store& store, Result<int64_t>& stored);

}  // namespace protium
