// SPDX-License-Identifier: Apache-2.0
// Steps apart (McMahan et al., "Communication-Efficient Learning of Deep Networks from
// Decentralized Data", 2017; Stich, "Local SGD Converges Fast and Communicates Little", 2019).
//
// 1. In a round every shard makes up to local.every steps alone, on its own part of each batch,
//    with the optimiser of the job. All shards of all ranks begin a round with the same weights,
//    buffers and state, and a rank needs memory for one shard at a time: it makes the round of one
//    shard after that of another.
// 2. Then the tree of a step (stepper.h) adds up how far each shard has moved, every shard with the
//    share that it had of the round's rows. So bits do not depend on which rank owns which shard,
//    and what no shard has moved, such as a frozen parameter, keeps its bits.
// 3. The outer step moves the weights by that mean: v = m * v + mean; weights += rate * (mean + m *
//    v), as torch.optim.SGD with Nesterov's momentum does with a gradient of -mean (Douillard et
//    al., "DiLoCo", 2023). With m = 0 and rate = 1 the weights become the mean of the shards'.
// 4. Buffers become the mean of the shards' results, and so does the optimiser's state, unless
//    local.state resets it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "format/safetensors.h"
#include "train/feed.h"
#include "train/optimizer.h"
#include "train/stepper.h"

namespace protium {

// The velocity of the outer step: a part of the learner, as the optimiser's state is.
class OuterStep {
 public:
  // The one of this training, if its steps are apart.
  static std::optional<OuterStep> Of(const TrainOptions& train, Weights& weights);
  // `weights` must outlive it.
  OuterStep(const OuterOptions& options, Weights& weights);

  // Moves the weights, which are those that the round began with, by the mean of the shards' moves.
  void Move(std::span<const float> mean);

  // As Optimizer's. No tensor without momentum.
  std::vector<NamedTensor> Tensors();
  Status Load(const Safetensors& file, const std::string& where);

 private:
  OuterOptions options_;
  Weights& weights_;
  std::vector<float> velocity_;  // Empty without momentum.
};

struct RoundInput {
  int64_t step = 0;        // Of the first step, over all epochs, from 0.
  int64_t epoch = 0;       // From 0.
  int64_t epoch_step = 0;  // The first step's number in its epoch, from 0.
  int64_t steps = 1;
  std::function<double(int64_t step)> rate;  // Of a step over all epochs: see StepInput.
  std::function<StepFlags()> asks;           // Of this rank, read at the end of the round.
  // The same before the end, where a round can end early (server_round.h).
  std::function<StepFlags()> asks_early = {};
};

class LocalRound {
 public:
  // As Stepper::Make(); `feed` and `outer` must outlive it, too. Refuses a device with its own
  // memory.
  static Result<std::unique_ptr<LocalRound>> Make(const StepSpec& spec, const ShardedRows& rows,
                                                  Net& net, Weights& weights, Optimizer& optimizer,
                                                  OuterStep& outer, Feed& feed,
                                                  Communicator& communicator);

  // Collective. The result is that of all steps of the round. Faults are those of Stepper::Run(),
  // but that they are found by the rank that owns the shard. After a failure weights and state are
  // those that the round began with.
  Result<StepResult> Run(const RoundInput& input);

  StepTimes& times() { return alone_->times(); }

 private:
  LocalRound(const StepSpec& spec, const ShardedRows& rows, Weights& weights, Optimizer& optimizer,
             OuterStep& outer, Feed& feed, Communicator& communicator);
  void Keep();
  void Restore();
  Status AddUp(const RoundInput& input, int32_t begin, int32_t end, std::span<float> sum, bool add,
               size_t depth);
  Status RunShard(const RoundInput& input, int32_t shard, std::span<float> leaf);
  void WriteMoves(float share, std::span<float> leaf);
  double ShareOf(const RoundInput& input, int32_t shard) const;
  int64_t RowsOf(const RoundInput& input, int32_t shard) const;
  Status AddUpOwn(const RoundInput& input);
  void ReportOthers(const RoundInput& input);
  StepResult Apply(std::span<const float> reduced);
  void ApplyState(std::span<const float> reduced);
  void ApplyBuffers(std::span<const float> sums);

  const StepSpec spec_;
  const ShardedRows& rows_;
  Weights& weights_;
  Optimizer& optimizer_;
  OuterStep& outer_;
  Feed& feed_;
  Communicator& communicator_;
  const std::unique_ptr<Communicator> self_;
  std::unique_ptr<Stepper> alone_;  // Makes the steps of one shard.
  LeafLayout leaf_;                 // "Gradients" are moves of weights, then the state.
  std::unique_ptr<SumTree> tree_;
  std::vector<std::vector<float>> spares_;
  std::vector<std::vector<std::byte>> kept_;  // What the round began with: see Changing().
  std::vector<float> told_;                   // This rank's times in the round.
};

}  // namespace protium
