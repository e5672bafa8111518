// SPDX-License-Identifier: Apache-2.0
// Adds the subtrees of all ranks in the order of the halving. Both backends use it, so their
// results cannot differ in a bit.
#pragma once

#include <span>
#include <vector>

#include "collective/communicator.h"

namespace protium {

// The tree above the ranks' subtrees, built once. One thread.
class TreeSum {
 public:
  // `subtrees` of all ranks, left to right, must cover all leaves. Their sums are not read.
  TreeSum(std::span<const Subtree> subtrees, int32_t leaves);

  // out[i] = sum over all s of sources[s][i], for `count` elements; `sources` in the order of the
  // subtrees. `out` may be one of the sources only if it is the first. The first `rounded` elements
  // are rounded in every sum that is made.
  void Sum(std::span<const float* const> sources, int64_t count, float* out, int64_t rounded = 0);

 private:
  struct Node {
    int32_t source = -1;  // If set: a subtree that its owner summed.
    int32_t left = -1;
    int32_t right = -1;
    int32_t depth = 0;
  };
  int32_t Grow(std::span<const Subtree> all, int32_t begin, int32_t end, int32_t depth);
  struct Block {
    int64_t at = 0;
    int64_t count = 0;
    int64_t rounded = 0;  // Of its elements, the first.
  };
  const float* SumBlock(const Node& node, std::span<const float* const> sources, const Block& block,
                        float* out);

  std::vector<Node> nodes_;  // The first is the root.
  int32_t deepest_ = 0;
  std::vector<float> scratch_;
};

}  // namespace protium
