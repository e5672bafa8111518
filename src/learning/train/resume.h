// SPDX-License-Identifier: Apache-2.0
// Who may continue from a checkpoint: only a training with the same rows, options, arithmetic and
// learned stages. Any other would reach weights that no uninterrupted run could have.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "rows/rows.h"
#include "tensor/weights.h"
#include "train/average.h"
#include "train/checkpoint.h"
#include "train/local_round.h"
#include "train/optimizer.h"
#include "train/served_tables.h"

namespace protium {

// [[rows, "sum of keys in hex"], ...], one entry per shard.
Json IdentityToJson(const std::vector<ShardIdentity>& identity);

// Whether checkpoints in `folder` are to be continued.
struct ResumeWish {
  std::filesystem::path folder;
  bool wanted = false;
  // A checkpoint must have felt those of its time, and no others.
  std::vector<ChangeOptions> changes = {};
  // Makes the state's weights the best so far if these values on the validation rows are the best
  // (Verdict::Choose()). Called where the previous best weights are lost.
  std::function<void(const Json& values, CheckpointState& state)> choose = {};
};

// The tensors that training changes and a checkpoint holds.
struct Learner {
  Weights& weights;
  Optimizer& optimizer;
  // nullptr: weights are not averaged. It is exchanged while a checkpoint is written or read, so
  // that the checkpoint's weights are the average, as a model's are.
  WeightAverage* average = nullptr;
  OuterStep* outer = nullptr;      // nullptr: all shards make every step together.
  ServedTables* served = nullptr;  // nullptr: every rank has all rows of tables.

  // Of the whole net that rank 0 has, where servers hold rows.
  static Learner Of(WholeNet& whole);
  OfRows of_rows() const { return {optimizer, average}; }
  // Exchanges the weights with their average, if there is one. Collective, where servers hold rows.
  Status ExchangeAverage() const;
  // What goes into a checkpoint besides the weights, borrowed: the optimiser's state, unless it is
  // given; with an average, the weights in training; then the state of the outer step.
  std::vector<NamedTensor> State(std::vector<NamedTensor> of_optimizer = {}) const;
};

// Runs `work` with the average in the net and returns its result. A failure is returned only after
// the second exchange, so the net never retains the average. Collective, where servers hold rows.
template <class Work>
std::invoke_result_t<Work> WithAverage(const Learner& learner, Work work) {
  PT_TRY(learner.ExchangeAverage());
  auto result = work();
  const Status back = learner.ExchangeAverage();
  if (result.ok()) PT_TRY(back);
  return result;
}

// Collective. Copies the tensors of rank `root` to every rank, but for those of an optimiser that
// ranks hold in parts.
Status BroadcastTensors(const Learner& learner, int32_t root, Communicator& communicator);

// Collective. Gives the nets of all ranks the weights of a file that rank 0 reads. Training is
// over: its state may be lost.
Status LoadWeights(const std::filesystem::path& file, const Learner& learner,
                   Communicator& communicator);

// Collective. Rank 0 opens the folder and reads the newest intact checkpoint; all ranks take the
// learner's tensors and the state from it, or all refuse it when its identity is not `state`'s.
// Returns false if there is none: training begins. A folder with checkpoints that were not asked
// for is refused, so that no run overwrites another's. Damaged checkpoints that were skipped are
// reported as warnings. If no checkpoint has its best weights any more, training continues with the
// best of those left, and a warning says so: they may not be those of an uninterrupted run.
// `folder` is set on rank 0 only.
Result<bool> ResumeFrom(const ResumeWish& wish, Communicator& communicator, const Learner& learner,
                        CheckpointState& state, std::optional<CheckpointFolder>& folder,
                        const std::function<void(const Json&)>& report);

// The fault that two ranks hold different weights after `step` steps: the sum was the same, so one
// of them computed its update differently.
Status WeightsDiffer(size_t rank, size_t other, int64_t step);

// Collective. Fails when ranks hold different weights.
Status AgreeOnWeights(const std::string& hash, int64_t step, Communicator& communicator);

}  // namespace protium
