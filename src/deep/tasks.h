// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gang/task.h"
#include "learn/torch_task.h"
#include "rows/rows.h"
#include "tensor/net.h"

namespace protium {

// tabular_mlp.
NetTable BuiltInNets();

// The tasks "train" and "score" over `nets`.
TaskTable TorchTasks(const NetTable& nets);

// One rank of a training gang; see learn/torch_task.h for config, events and the row it emits.
Status RunTrainTask(TaskContext& context, const NetTable& nets);
// Scores the batches of one partition.
Status RunScoreTask(TaskContext& context, const NetTable& nets);

// How the rows of a net are packed, and what it is built for.
RowLayout LayoutOf(const NetConfig& config);
NetShape ShapeOf(const NetConfig& config);

}  // namespace protium
