// SPDX-License-Identifier: Apache-2.0
// Who may go on from a checkpoint: the same rows, options, arithmetic and learned stages, or
// nobody.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "rows/rows.h"
#include "tensor/weights.h"
#include "train/average.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"

namespace protium {

// [[rows, "sum of keys in hex"], ...], one entry a shard.
Json IdentityToJson(const std::vector<ShardIdentity>& identity);

struct ResumeWish {
  std::filesystem::path folder;
  bool wanted = false;
};

// What a training changes, and a checkpoint holds.
struct Learner {
  Weights& weights;
  Optimizer& optimizer;
  WeightAverage* average = nullptr;  // Exchanged while a checkpoint is written or read.

  // All but the weights, borrowed.
  std::vector<NamedTensor> State() const;
};

// Collective. Rank 0 opens the folder and reads the newest checkpoint; all ranks take the learner
// and the state from it, and all refuse it when its identity is not `state`'s. False: there is
// none, training begins. A folder with checkpoints that nobody wants to resume is refused.
Result<bool> ResumeFrom(const ResumeWish& wish, Communicator& communicator, const Learner& learner,
                        CheckpointState& state, std::optional<CheckpointFolder>& folder,
                        const std::function<void(const Json&)>& report);

// Collective. Fails when ranks hold different weights.
Status AgreeOnWeights(const std::string& hash, int64_t step, Communicator& communicator);

}  // namespace protium
