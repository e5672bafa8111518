// SPDX-License-Identifier: Apache-2.0
#include "trees/carried_forest.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "base/fault.h"

namespace protium {

Result<FoldedLeaves> FoldedLeaves::Of(const CarriedForest& carried) {
  FoldedLeaves folded;
  folded.forest_ = carried.forest;
  Forest& forest = folded.forest_;
  for (size_t o = 0; o < forest.base.size(); ++o) {
    const OutputScale scale = carried.scales.empty() ? OutputScale{} : carried.scales[o];
    folded.factors_.push_back(scale.factor);
    folded.firsts_.push_back(forest.base[o] * scale.factor + scale.shift);
    if (forest.trees.size() <= o) forest.trees.push_back({.nodes = {TreeNode{}}});
  }
  for (size_t t = 0; t < forest.trees.size(); ++t) {
    for (const TreeNode& node : forest.trees[t].nodes) {
      const double value = node.leaf() ? folded.Value(t, node) : 0;
      if (std::abs(value) <= std::numeric_limits<float>::max()) continue;
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("a leaf of tree {} is {} in the label's units", t, value),
                   .why = "a float32 holds no such number",
                   .fix = "--to onnx, which scales labels in float64"});
    }
  }
  return folded;
}

Result<std::vector<Tree>> InRounds(std::vector<Tree> trees, const std::vector<int64_t>& output_of,
                                   int64_t outputs) {
  std::vector<std::vector<size_t>> of(static_cast<size_t>(outputs));
  for (size_t t = 0; t < trees.size(); ++t) of[size_t(output_of[t])].push_back(t);
  std::vector<Tree> sorted;
  for (size_t round = 0; round < of[0].size(); ++round) {
    for (const std::vector<size_t>& each : of) {
      if (each.size() != of[0].size()) {
        return Fail({.exit = Exit::kInput,
                     .what = fmt::format("the file has {} trees for an output and {} for another",
                                         of[0].size(), each.size())});
      }
      sorted.push_back(std::move(trees[each[round]]));
    }
  }
  if (sorted.size() == trees.size()) return sorted;
  return Fail({.exit = Exit::kInput, .what = "the file has no trees for the first output"});
}

}  // namespace protium
