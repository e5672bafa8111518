// SPDX-License-Identifier: Apache-2.0
// How a net's buffers, such as batch norm's running statistics, come out of a step whose shards all
// began with the same ones.
//
// 1. A buffer that no shard changed stays what it was, to the bit.
// 2. One of floats becomes the mean of what the shards left, each counted by its rows.
// 3. Whole numbers have no such mean: every shard must add the same to them, as a count of batches
//    does; a buffer that shards change otherwise is refused by name.
//
// What ranks add up for this is the end of a leaf's tail: count() floats, on which the order of
// addition is the tree's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/weights.h"

namespace protium {

class BufferSums {
 public:
  // `weights` must outlive it. One thread.
  explicit BufferSums(Weights& weights);

  int64_t count() const { return count_; }
  // Before the forward of a shard.
  void Keep();
  // After the forward of a shard of so many rows: adds its part to `sums` and puts back what was
  // kept.
  void Add(int64_t rows, float* sums);
  // What was added up for `rows` rows, over all shards, becomes the buffers.
  Status Apply(std::span<const float> sums, float rows);

 private:
  // Where the sums of a buffer begin, behind its own count of the rows whose shards changed it. Of
  // floats: what shards left. Of whole numbers: what they added, and then its squares.
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
