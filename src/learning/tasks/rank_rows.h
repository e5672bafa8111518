// SPDX-License-Identifier: Apache-2.0
// The rows of one rank of a training: packed from its part of the table and sent to the owners of
// their shards, or those that an earlier training of the same search has stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "gang/task.h"
#include "pipeline/torch_task.h"
#include "rows/rows.h"
#include "tensor/net.h"

namespace protium {

// What a rank learns from and what it validates on.
struct RankRows {
  std::unique_ptr<ShardedRows> train;
  std::unique_ptr<ShardedRows> held_out;  // nullptr without validation.
  int64_t unseen = 0;      // Validation rows left out, since their class was never learned.
  int64_t disk_bytes = 0;  // For rows that did not fit memory, over all ranks.
  bool packed = true;      // For this training; false: an earlier one of the search stored them.
};

// The folder for rows beyond memory. On other machines than the driver's, only the worker knows its
// disks.
std::filesystem::path ScratchFolder(const TrainConfig& config);

// Collective. In this order: unseen classes are summed over ranks, rows are sent to the owners of
// their shards, and categories are compared with the net's tables; then, if several trainings share
// the rows and they fit, they are written to config.shared.folder. With config.shared.there they
// are read from it instead, and there is no input.
Result<RankRows> MakeRankRows(const TrainConfig& config, const NetInputs& inputs,
                              TaskContext& context, Communicator& communicator);

}  // namespace protium
