// SPDX-License-Identifier: Apache-2.0
// Batches of streams in tables of databases and of Delta, through DuckDB.
#pragma once

#include <memory>

#include "engine/batch_store.h"
#include "local/database.h"

namespace protium {

// In a database the number of the newest batch is in protium_commits (local/store_marks.h); a Delta
// table has it in the transactions of its log, as a version of the application
// "protium stream NAME".
std::unique_ptr<BatchStore> MakeBatchStore(DatabaseOptions options, BatchTarget target);

}  // namespace protium
