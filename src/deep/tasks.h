// SPDX-License-Identifier: Apache-2.0
// What this library brings to a worker: nets and losses by name, and the tasks "train" and "score".
// Its one entry point for the driver's program is protium_torch_tasks() (learn/torch_library.h),
// found with dlsym.
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"
#include "learn/torch_task.h"
#include "metrics/metrics.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "train/loss.h"

namespace protium {

// The implementations behind the rows of the catalogue (learn/catalogue.h), by name.
struct TorchRows {
  NetTable nets;
  LossTable losses;
  std::vector<MetricSpec> metrics;  // Beside the built-in ones.
};

// The nets of learn/built_in_nets.h and the built-in losses.
TorchRows BuiltInRows();

// Adds the rows of a program or of an extension that have an implementation, replacing those of the
// same name; rows without one name what this library implements.
void AddRows(const Catalogue& own, TorchRows& rows);
// `rows` plus those of these extensions. Opens each where the driver did, or its copy where that
// file is missing or has other content (learn/model/net_library.h).
Result<TorchRows> WithExtensions(TorchRows rows, const std::vector<NetLibrary>& extensions);

// The tasks "train" and "score", each with a copy of `rows`.
TaskTable TorchTasks(const TorchRows& rows);

// Runs one rank of a training gang: packs and shards its input, trains, and emits one row from rank
// 0. Config, events and that row are described in learn/torch_task.h. Needs a communicator;
// collective throughout.
Status RunTrainTask(TaskContext& context, const TorchRows& rows);
// Scores the batches of one partition, in their order, without a gang. Emits a batch for each that
// it reads.
Status RunScoreTask(TaskContext& context, const TorchRows& rows);

// The row layout and sizes that a net is built for: of rows to learn from, with the labels and
// their weights, or of rows to score, with neither.
NetInputs MakeNetInputs(const TrainConfig& config);
NetInputs MakeNetInputs(const ScoreConfig& config);

}  // namespace protium
