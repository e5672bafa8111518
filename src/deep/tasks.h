// SPDX-License-Identifier: Apache-2.0
// What this library brings to a worker: the nets by name, and the tasks "train" and "score". Its
// one entry point for the driver's program is protium_torch_tasks() (learn/torch_library.h), found
// with dlsym.
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

// Adds the nets of catalogue rows that bring a builder, replacing those of the same name; rows
// without one name nets of this library.
void AddNets(const std::vector<NetRow>& rows, NetTable& nets);

// The tasks "train" and "score", each with a copy of `nets`.
TaskTable TorchTasks(const NetTable& nets);

// Builds the net of `config`, from `nets` or from the extension, where one is named: it is opened
// here, and refused when its content is not what the driver saw.
Result<std::unique_ptr<Net>> BuildNet(const NetTable& nets, const NetConfig& config,
                                      const NetLibrary& extension, const NetInputs& inputs);

// Runs one rank of a training gang: packs and shards its input, trains, and emits one row from rank
// 0. Config, events and that row are described in learn/torch_task.h. Needs a communicator;
// collective throughout.
Status RunTrainTask(TaskContext& context, const NetTable& nets);
// Scores the batches of one partition, in their order, without a gang. Emits a batch for each that
// it reads.
Status RunScoreTask(TaskContext& context, const NetTable& nets);

// The row layout and sizes that a net of this configuration is built for. Rows have the labels and,
// where `weight` is not empty, that column's weights; to score, `labels` is false.
NetInputs MakeNetInputs(const NetConfig& config, const std::string& weight = {},
                        bool labels = true);
// What the net's outputs mean: scales, logarithm and classes of the objective.
Target MakeTarget(const Objective& objective);

}  // namespace protium
