// SPDX-License-Identifier: Apache-2.0
// How a net's buffers, such as batch norm's running statistics, are combined after a step in which
// all shards began with the same ones.
//
// 1. A buffer that no shard changed stays as it was, to the bit.
// 2. A float buffer becomes the mean of the shards' results, each weighted by its rows.
// 3. Whole numbers have no such mean: every shard must add the same to them, as a count of batches
//    does; a buffer that shards change in another way is refused by name.
//
// The sums that ranks need for this are the end of a leaf's tail: count() floats, added in the
// order of the tree. Nothing is sent besides the gradients.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/weights.h"

namespace protium {

class BufferSums {
 public:
  // Lays out the sums for the buffers of `weights`, which must outlive it. One thread.
  explicit BufferSums(Weights& weights);

  // How many floats a leaf needs for the sums.
  int64_t count() const { return count_; }
  // Remembers the buffers; called before the forward of a shard.
  void Keep();
  // After the forward of a shard of `rows` rows: adds its part to `sums` and restores the
  // remembered buffers, so that the next shard also begins with the step's buffers.
  void Add(int64_t rows, float* sums);
  // Sets the buffers from the sums over all shards, which had `rows` rows together. Every rank
  // calls it with the same sums and gets the same bits.
  Status Apply(std::span<const float> sums, float rows);

 private:
  // Where the sums of a buffer begin: first a count of the rows whose shards changed it; then, for
  // floats, the shards' results; for whole numbers, what the shards added, followed by its squares.
  // All are weighted by rows.
  struct Part {
    const BufferPart* buffer = nullptr;
    int64_t at = 0;
  };

  std::span<float> BufferValues(const BufferPart& buffer) const {
    return weights_.buffers().subspan(size_t(buffer.offset), size_t(buffer.count));
  }
  Status ApplyWhole(const Part& part, const float* sums, float rows);

  Weights& weights_;
  std::vector<Part> parts_;
  int64_t count_ = 0;
  std::vector<float> before_;
};

}  // namespace protium
