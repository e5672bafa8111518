// SPDX-License-Identifier: Apache-2.0
// What this library brings to a worker: the nets by name, and the tasks that train and score.
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"
#include "learn/torch_task.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/target.h"

namespace protium {

// tabular_mlp, linear and torchscript.
NetTable BuiltInNets();

// Adds the nets of rows that bring their builder.
void AddNets(const std::vector<NetRow>& rows, NetTable& nets);

// The tasks "train" and "score" over `nets`.
TaskTable TorchTasks(const NetTable& nets);

// The net of `config`, from `nets` or from the extension, where one brings it.
Result<std::unique_ptr<Net>> BuildNet(const NetTable& nets, const NetConfig& config,
                                      const NetLibrary& extension, const NetInputs& inputs);

// One rank of a training gang; see learn/torch_task.h for config, events and the row it emits.
Status RunTrainTask(TaskContext& context, const NetTable& nets);
// Scores the batches of one partition.
Status RunScoreTask(TaskContext& context, const NetTable& nets);

// What a net of this configuration is built for. Its rows have the labels and, where `weight` is
// not empty, that column's weights; to score, `labels` is false.
NetInputs MakeNetInputs(const NetConfig& config, const std::string& weight = {},
                        bool labels = true);
// What its outputs mean.
Target MakeTarget(const Objective& objective);

}  // namespace protium
