// SPDX-License-Identifier: Apache-2.0
// The forest that training adds trees to (train.from of tree_estimator): found when a pipeline is
// placed, kept in the run folder before training, read by the ranks. As start_file.h, with other
// files of the model beside the weights: net.json as "start.json", and those of start_stages.h. All
// do nothing without train.from.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"
#include "trees/forest.h"

namespace protium {

// Fails with Exit::kInput unless `from` is the folder of a model with a forest.
Status FindStartForest(const FilesFrom& files, const std::string& path, ModelOrStart& from);
Status KeepStartForest(const std::filesystem::path& run, ModelOrStart& from);

// Reads the forest for a training of `config`. If the label's scale was another, the forest is put
// on the new one. Fails with Exit::kInput, naming what differs, if it is over other columns or
// predicts something else.
Result<Forest> ReadStartForest(const ModelOrStart& from, const NetConfig& config);

}  // namespace protium
