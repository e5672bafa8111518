// SPDX-License-Identifier: Apache-2.0
// From shards to the batches of each step. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "rows/rows.h"
#include "tensor/batch.h"
#include "tensor/row_block.h"

namespace protium {

// The rows of a rank's own shards, step by step, in the order of (seed, epoch, shard):
// docs/rows.md, "Order of visits" and "Steps". It knows nothing of other ranks, and its position is
// just (epoch, step).
class Feed {
 public:
  // `rows` must outlive it; `batch_size` is that of a step over all shards; `device` is where the
  // rows are computed on.
  Feed(const ShardedRows& rows, int64_t batch_size, int64_t seed, const ComputeDevice& device = {});

  int64_t steps() const { return steps_; }  // Of an epoch.
  // Starts an epoch, counted from 0. The steps before `first_step` count as made: their rows are
  // skipped now, and read and counted by EndEpoch(), which verifies the whole epoch.
  Status StartEpoch(int64_t epoch, int64_t first_step = 0);
  // Returns the batches of the next step of the epoch: one per own shard, in shard order, some
  // possibly empty. They lie in the feed's memory and are valid until the next call of Next(), or
  // until the call of Prepare() after that one.
  Result<std::span<const BatchRows>> Next();
  // Gathers the rows of the step after this one, unless this is the last of its epoch, and starts
  // copying them to the device. Worth calling while the device computes.
  Status Prepare();

  // The same shard by shard: the batch of own shard number `own`, from 0, in a step of the epoch.
  // The steps of each shard are asked for in order, in place of Next(), and Pass() tells when all
  // own shards have made theirs. Valid until the next call for this shard.
  Result<BatchRows> NextOf(size_t own, int64_t step);
  void Pass(int64_t steps) { step_ += steps; }

  // The batch of any shard that the rows hold in any step of an epoch: in place of all the above.
  // Its rows are not counted, so EndEpoch() is not called. Valid until the next call.
  Result<BatchRows> BatchAt(int32_t shard, int64_t epoch, int64_t step);

  // After the last step: verifies that every row of the own shards was used exactly once, by count
  // and sum of keys. A difference is a bug of ours.
  Status EndEpoch();

  // From now on no batch has fewer than `least` rows unless it is empty, and neither has any of the
  // `parts` into which micro-batches cut it: LibTorch's batch norm throws on one row, and would do
  // so hours later, at the end of the first epoch. The last step of an epoch, which has the
  // remaining rows, leaves out the rows of such a shard; if another step would have to, the call
  // fails. Only the number of rows in each shard decides this, so all ranks do the same. Returns
  // how many rows of an epoch are left out, over all shards.
  Result<int64_t> LeaveOutBelow(int64_t least, int64_t parts = 1);

 private:
  // The memory for a step's rows. With a device there are two, since one step's rows are gathered
  // while those of the previous step may still be copied or computed on.
  struct Step {
    std::vector<RowBlock> blocks;
    std::vector<BatchRows> batches;
  };
  Status Gather(size_t own, int64_t rows, Step& into);
  Status GatherStep(size_t own, int64_t step, Step& into);
  bool TooFew(int64_t rows) const;
  Result<std::unique_ptr<RowVisit>> VisitShard(size_t own) const;
  int64_t RowsBefore(size_t own, int64_t step) const;
  Status CountSkipped(size_t own);
  Step& MadeFor(int64_t step) { return made_[size_t(step) % made_.size()]; }

  const ShardedRows& rows_;
  int64_t batch_size_;
  int64_t seed_;
  int64_t steps_;
  int64_t least_ = 1;  // Rows of a batch, or of each of its parts.
  int64_t parts_ = 1;
  std::vector<int32_t> own_;
  int64_t epoch_ = 0;
  int64_t first_step_ = 0;  // Of the epoch: the steps before it were skipped;
  int64_t step_ = 0;        // the step that Next() returns next.
  bool prepared_ = false;   // That step's rows are already gathered.
  std::vector<std::unique_ptr<RowVisit>> visits_;
  std::vector<Step> made_;           // Used by the steps in turn.
  RowBlock any_;                     // For BatchAt().
  std::vector<ShardIdentity> used_;  // In this epoch, by own shard.
};

}  // namespace protium
