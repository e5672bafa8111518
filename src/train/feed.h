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

namespace protium {

// The rows of a rank's own shards, step by step, in the order of (seed, epoch, shard).
class Feed {
 public:
  Feed(const ShardedRows& rows, int64_t batch_size, int64_t seed);

  int64_t steps() const { return steps_; }  // Of an epoch.
  // The steps before `first_step` count as made.
  Status StartEpoch(int64_t epoch, int64_t first_step = 0);
  // The batches of the next step of the epoch: one a shard, in shard order; valid until the next
  // call.
  Result<std::span<const Batch>> Next();

  // After the last step: proves that every row of the own shards was used exactly once, by count
  // and sum of keys.
  Status EndEpoch() const;

  // Refuses when some step of an epoch would give a shard, or one of the `parts` that it computes
  // one after the other, fewer than `least` rows, but not none.
  Status CheckBatches(int64_t least, int64_t parts = 1) const;

 private:
  Status Gather(size_t own, int64_t rows);

  const ShardedRows& rows_;
  int64_t batch_size_;
  int64_t seed_;
  int64_t steps_;
  std::vector<int32_t> own_;
  int64_t step_ = 0;  // Of the epoch, that Next() gives.
  std::vector<std::unique_ptr<RowVisit>> visits_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<Batch> batches_;
  std::vector<ShardIdentity> used_;  // In this epoch, by own shard.
};

}  // namespace protium
