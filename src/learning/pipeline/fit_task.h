// SPDX-License-Identifier: Apache-2.0
// The task "fit": one pass over the training rows that fills all states (statistics/state.h) that a
// level of stages needs. Each worker fills its own states over its partitions and emits them as
// rows of (need, text, number, count); the driver merges the rows. Merging is exact and
// commutative, so the result does not depend on the workers, the partitions or the order of rows.
#pragma once

#include <arrow/record_batch.h>

#include <functional>
#include <vector>

#include "engine/engine.h"
#include "gang/task.h"
#include "plan/node.h"
#include "statistics/state.h"

namespace protium {

// Runs in a worker, without a gang.
Status FitTask(TaskContext& context);

// Runs the pass over `rows` and returns the merged state of each need, in order; without needs
// there is no pass. The engine casts columns to double, except those that are counted as text.
Result<std::vector<State>> Fit(Engine& engine, const Plan& rows, const std::vector<Need>& needs,
                               const Call& call);

// States as rows, as they travel: the schema, the batches of all states, and what reads them.
// MergeStates() checks the batch, which may come from elsewhere.
SchemaPtr StateSchema();
Status EmitStates(const std::vector<State>& states,
                  const std::function<Status(const arrow::RecordBatch&)>& send);
Status MergeStates(const arrow::RecordBatch& batch, std::vector<State>& states);

}  // namespace protium
