// SPDX-License-Identifier: Apache-2.0
// Gangs on this machine that need no table, and so no engine: opening DuckDB takes longer than many
// a program.
#pragma once

#include <arrow/record_batch.h>

#include "frame/session_state.h"
#include "plan/node.h"

namespace protium {

// Runs the gang of `task` over no rows in worker processes of this machine, as the engine "local"
// would; gives what its ranks emitted. Of the options: engine, folder, discovery and call.
Result<arrow::RecordBatchVector> RunHere(const SessionOptions& options, const MapTask& task);

}  // namespace protium
