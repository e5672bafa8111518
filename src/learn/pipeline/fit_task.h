// SPDX-License-Identifier: Apache-2.0
// The task "fit": one pass over the rows that fills every state a level of stages needs.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "gang/task.h"
#include "learn/stages/state.h"
#include "plan/node.h"

namespace protium {

// What runs in a worker. Its config lists the needs; its rows are pieces of their states.
Status FitTask(TaskContext& context);

// Runs the pass over `rows` and gives the merged state of every need, in their order. Columns of
// sums and numbers are cast to double by the engine.
Result<std::vector<State>> Fit(Engine& engine, const Plan& rows, const std::vector<Need>& needs,
                               const Call& call);

}  // namespace protium
