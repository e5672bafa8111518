// SPDX-License-Identifier: Apache-2.0
// The rows that one rank of a training has: packed from its part of the table and brought to their
// shards, or those that an earlier training of the same search has kept.
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
  int64_t unseen = 0;      // Validation rows left out, of classes that were never learned.
  int64_t disk_bytes = 0;  // Of rows that did not fit memory, over all ranks.
  bool packed = true;      // For this training; false: an earlier one of the search has.
};

// Where rows beyond memory go. On other machines than the driver's the worker alone knows its
// disks.
std::filesystem::path ScratchFolder(const TrainConfig& config);

// Collective. In this order: unseen classes are summed over ranks, rows travel to the owners of
// their shards, categories are held against the net's tables; then, where several trainings share
// them and they fit, they are written to config.shared.folder. With config.shared.there they are
// read from it instead, and no input comes.
Result<RankRows> MakeRankRows(const TrainConfig& config, const NetInputs& inputs,
                              TaskContext& context, Communicator& communicator);

}  // namespace protium
