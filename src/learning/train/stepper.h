// SPDX-License-Identifier: Apache-2.0
// One step of training over all shards.
//
// 1. A shard's leaf is the gradient of the sum of its weighted losses, with a tail: how many shards
//    gave each parameter a gradient, sums of weight, loss and rows, flags, sums of buffers. With
//    micro-batches it is the sum of theirs, added in order and complete before it is added to that
//    of any other shard.
//    Rounded to 16 bits on request (train.gradients), as every sum of gradients then is.
// 2. Leaves are added by recursive halving of all shards: here as far as this rank owns whole
//    subtrees, then by the communicator's tree. So the sum does not depend on which rank owns which
//    shard.
// 3. One division by the sum of weights follows; then clipping, the check that everything is
//    finite, and the optimiser. Every rank does this on the same sums and gets the same weights.
//
// Everything that ranks must agree on in a step travels in this one all-reduce, behind the
// gradients (step_leaf.h); there is no other round, unless tables are learned row by row: their
// rows are added up in the same tree (collective/row_tree.h), and no weight moves before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "collective/row_tree.h"
#include "tensor/net.h"
#include "tensor/weights.h"
#include "train/buffer_sums.h"
#include "train/loss.h"
#include "train/optimizer.h"
#include "train/served_tables.h"
#include "train/step_leaf.h"
#include "train/step_times.h"

namespace protium {

struct StepSpec {
  std::vector<int32_t> first;  // Shards first[r] .. first[r+1]-1 belong to rank r.
  int64_t outputs = 1;         // Of the net, for each row.
  Loss loss;
  TrainOptions train;              // Uses seed, gradients, clip_norm, clip_value and micro_batches.
  PhaseReport phase;               // Called with each part of a step.
  int32_t rank = -1;               // In messages; below 0: that of the communicator.
  ServedTables* served = nullptr;  // Borrowed; nullptr: every rank has all rows of tables.
  double deadline = 60;            // Seconds that servers wait for a worker (server_round.h).
  // In place of the optimiser's step, if set: see Optimizer::Step().
  std::function<bool(const Gradient& gradient, std::span<const float> defined)> move = {};
};

struct StepInput {
  int64_t step = 0;                   // Over all epochs, from 0; decides the randomness.
  int64_t epoch = 0;                  // From 0; for messages.
  std::span<const BatchRows> shards;  // The rows of the own shards, in order; some may be empty.
  int32_t shards_before = 0;          // Added to the numbers of shards, for draws and messages.
  double rate = 1;                    // Multiplies the learning rate; the same on all ranks.
  StepFlags asks;                     // Of this rank; sent to all.
  // Work for the host, called once while a device computes the last gradients; may be empty.
  std::function<Status()> meanwhile;
};

// The same on every rank, except wait_seconds.
struct StepResult {
  double loss = 0;  // Weighted mean over all shards.
  double weight = 0;
  int64_t rows = 0;
  bool stop = false;  // Some rank asked for it.
  bool save = false;
  bool saved = false;
  bool change = false;
  bool skipped = false;     // The weights summed to 0.
  double wait_seconds = 0;  // Spent in the all-reduce, including the wait for others.
  // StepTimes::kTold floats of every rank, from the previous all-reduce to this one; valid until
  // the next Run().
  std::span<const float> times;
};

// What the sums over all shards say of a step; the rest of the result is left as it is.
StepResult ResultOf(const StepTail& tail);

class Stepper {
 public:
  // Collective. `net`, `weights`, `optimizer` and `communicator` must outlive it. Called by the
  // same thread as every Run().
  static Result<std::unique_ptr<Stepper>> Make(const StepSpec& spec, Net& net, Weights& weights,
                                               Optimizer& optimizer, Communicator& communicator);

  // Collective. A loss or gradient that is NaN or infinite fails on all ranks alike, and the fault
  // names the step and whose rows they are. An exception from the net on one rank fails on all of
  // them. After a failure the weights must not be used.
  Result<StepResult> Run(const StepInput& input);

  // Counts what this rank does between steps.
  StepTimes& times() { return times_; }

 private:
  Stepper(const StepSpec& spec, Net& net, Weights& weights, Optimizer& optimizer,
          Communicator& communicator)
      : spec_(spec),
        net_(net),
        weights_(weights),
        optimizer_(optimizer),
        communicator_(communicator),
        buffers_(weights) {}
  // Where sums are made: a subtree of the communicator's, or a spare one. On a staged device the
  // gradients are added there, element by element in the same order and so to the same bits, and
  // copied to the host once per step; the rest of a leaf is always on the host.
  struct Partial {
    std::span<float> sum;
    std::vector<FloatValues> gradients;
    std::shared_ptr<float> there;  // On a staged device: the memory that `gradients` point into.
    // Rows of tables, by parameter; null for others.
    std::vector<SparseRows*> tables;
  };
  // A sum that is no subtree's.
  struct Spare {
    std::vector<float> sum;
    std::vector<SparseRows> rows;
    Partial partial;
  };
  Partial MakePartial(std::span<float> sum, std::span<SparseRows> rows) const;
  void AddPartial(const Partial& from, Partial& to) const;
  bool rounds() const { return spec_.train.gradients != Precision::kFloat32; }
  void Round(Partial& partial) const;
  Status AddUp(const StepInput& input, int32_t begin, int32_t end, Partial& partial, bool add,
               size_t depth);
  Status Leaf(const StepInput& input, int32_t shard, Partial& partial, bool add);
  Status RunParts(const BatchRows& rows, const StepInput& input, int32_t shard, Partial& partial);
  // Runs a forward and backward whose randomness is given by `key`.
  Status RunNet(const BatchRows& rows, const StepInput& input, int32_t shard, uint64_t key,
                Partial& partial, bool add);
  uint64_t DrawKeyOf(const StepInput& input, int32_t shard) const;
  Status AddUpOwn(const StepInput& input);
  void AddZeros(Partial& partial, bool add) const;
  void BringBack();
  Partial& SpareAt(size_t depth);
  Result<std::span<const SummedRows>> ReduceRows();
  Result<bool> Move(int64_t step, const Gradient& gradient, std::span<const float> defined);
  Status TakeBuffers(std::span<const float> reduced, const StepTail& tail);
  Result<StepResult> Apply(std::span<const float> reduced, std::span<const SummedRows> tables,
                           const StepInput& input);
  Result<float> ClipFactor(const GradientSum& sum, float weight, const StepInput& input);
  Status NotFinite(const char* what, const StepInput& input);
  std::string OwnShardsNotFinite(const StepInput& input) const;
  int32_t rank() const { return spec_.rank < 0 ? communicator_.rank() : spec_.rank; }
  bool IsFinite(size_t own) const;

  void ReportOthers(const StepInput& input);

  StepSpec spec_;
  Net& net_;
  Weights& weights_;
  Optimizer& optimizer_;
  Communicator& communicator_;
  BufferSums buffers_;
  StepTimes times_{spec_.phase};
  std::unique_ptr<SumTree> tree_;
  std::optional<RowTree> rows_;  // If there are tables.
  LeafLayout leaf_;
  int32_t first_shard_ = 0;
  std::vector<Partial> own_;
  std::vector<HeldMemory> held_;  // For their sums.
  std::vector<std::unique_ptr<Spare>> spares_;
  std::vector<int32_t> lost_;  // Own shards whose loss was not finite in this step.
  FloatRoom outputs_here_;
  FloatRoom output_gradient_;
  FloatRoom output_gradient_there_;  // On a staged device.
};

// Fails unless this thread rounds to nearest and handles denormals: a library built with fast-math
// may have changed that.
Status CheckFloatingPoint();

// The fault of a step, counted from 0, in which `what` became NaN or infinite.
Status NotFiniteAt(int64_t step, std::string what);

}  // namespace protium
