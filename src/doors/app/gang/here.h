// SPDX-License-Identifier: Apache-2.0
// Gangs on this machine that need no table and so no engine: opening DuckDB takes longer than many
// programs do.
#pragma once

#include <arrow/record_batch.h>

#include <functional>

#include "frame/session_state.h"
#include "plan/node.h"

namespace protium {

// Runs the gang of `task` in worker processes on this machine, as the engine "local" would; returns
// what its ranks emitted. Uses these options: engine (a cluster counts as "local"), folder and
// discovery. `input` is opened anew for each attempt; empty: no rows.
Result<arrow::RecordBatchVector> RunHere(const SessionOptions& options, const MapTask& task,
                                         std::function<Result<BatchStreamPtr>()> input,
                                         const Call& call);

}  // namespace protium
