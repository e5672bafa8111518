// SPDX-License-Identifier: Apache-2.0
// What this library brings to a worker: nets and losses by name, and the tasks that train and
// score.
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"
#include "learn/torch_task.h"
#include "metrics/metrics.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/target.h"
#include "train/loss.h"

namespace protium {

// All that jobs name and workers make: rows of the catalogue with what is behind them.
struct TorchRows {
  NetTable nets;
  LossTable losses;
  std::vector<MetricSpec> metrics;  // Beside the built-in ones.
};

// tabular_mlp, linear and torchscript; the losses of the house.
TorchRows BuiltInRows();

// Adds those rows of a program or of an extension that bring what makes them.
void AddRows(const Catalogue& own, TorchRows& rows);
// `rows` with those of these libraries, which it opens.
Result<TorchRows> WithExtensions(TorchRows rows, const std::vector<NetLibrary>& extensions);

// The tasks "train" and "score" over `rows`.
TaskTable TorchTasks(const TorchRows& rows);

// One rank of a training gang; see learn/torch_task.h for config, events and the row it emits.
Status RunTrainTask(TaskContext& context, const TorchRows& rows);
// Scores the batches of one partition.
Status RunScoreTask(TaskContext& context, const TorchRows& rows);

// What a net of this configuration is built for. Its rows have the labels and, where `weight` is
// not empty, that column's weights; to score, `labels` is false.
NetInputs MakeNetInputs(const NetConfig& config, const std::string& weight = {},
                        bool labels = true);
// What its outputs mean.
Target MakeTarget(const Objective& objective);

}  // namespace protium
