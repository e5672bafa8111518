// SPDX-License-Identifier: Apache-2.0
#include "collective/tree_sum.h"

#include <algorithm>
#include <cstring>

#include "collective/combine.h"

namespace protium {
namespace {

// Elements summed at a time, so that sums stay in the first-level cache. The tree is walked once
// per block; since sums are element by element, blocks change no bit.
constexpr int64_t kBlock = 2048;

}  // namespace

TreeSum::TreeSum(std::span<const Subtree> subtrees, int32_t leaves) {
  Grow(subtrees, 0, leaves, 0);
  scratch_.resize(size_t(deepest_ + 1) * kBlock);
}

void TreeSum::Sum(std::span<const float* const> sources, int64_t count, float* out,
                  int64_t rounded) {
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t part = std::min(kBlock, count - at);
    const Block block{at, part, std::clamp<int64_t>(rounded - at, 0, part)};
    const float* sum = SumBlock(nodes_.front(), sources, block, out + at);
    if (sum != out + at) std::memcpy(out + at, sum, size_t(part) * sizeof(float));
  }
}

int32_t TreeSum::Grow(std::span<const Subtree> all, int32_t begin, int32_t end, int32_t depth) {
  const auto at = nodes_.size();
  nodes_.push_back({.depth = depth});
  deepest_ = std::max(deepest_, depth);
  for (size_t s = 0; s < all.size(); ++s) {
    if (all[s].begin == begin && all[s].end == end) nodes_[at].source = int32_t(s);
  }
  if (nodes_[at].source < 0) {
    const int32_t middle = begin + (end - begin) / 2;
    const int32_t left = Grow(all, begin, middle, depth + 1);
    const int32_t right = Grow(all, middle, end, depth + 1);
    nodes_[at].left = left;
    nodes_[at].right = right;
  }
  return int32_t(at);
}

// Returns where the sum is: in `out`, or in its source. The left part may use `out` for its own
// sum, the right one needs memory of its own: one block for each depth, since only one node of a
// depth is being summed at a time.
const float* TreeSum::SumBlock(const Node& node, std::span<const float* const> sources,
                               const Block& block, float* out) {
  if (node.source >= 0) return sources[size_t(node.source)] + block.at;
  const float* left = SumBlock(nodes_[size_t(node.left)], sources, block, out);
  float* scratch = scratch_.data() + node.depth * kBlock;
  const float* right = SumBlock(nodes_[size_t(node.right)], sources, block, scratch);
  Add(left, right, out, block.count);
  RoundToBfloat16(out, block.rounded);
  return out;
}

}  // namespace protium
