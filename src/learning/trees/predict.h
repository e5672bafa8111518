// SPDX-License-Identifier: Apache-2.0
// Predicts for many rows at a time: a tree goes over a block of rows before the next one does, so
// its nodes stay in the cache, and several rows are on their way at once. The bits are those of
// Forest::Predict().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/forest.h"

namespace protium {

// Immutable: any thread. Borrows the forest, which CheckForest() has accepted.
class BatchForest {
 public:
  explicit BatchForest(const Forest& forest);
  // `rows`: [count, columns]; writes [count, outputs].
  void Predict(std::span<const float> rows, int64_t count, std::span<float> out) const;

 private:
  // In 16 bytes. A leaf leads to itself.
  struct Node {
    uint32_t threshold = 0;  // The bits of a float32; of a split by category, a position in sets_.
    uint32_t column = 0;     // Its highest bit: missing values go left; the next one: categories.
    uint32_t left = 0;       // Position in the tree.
    float value = 0;
  };
  struct Plan {
    int64_t first = 0;  // In nodes_.
    int32_t depth = 0;
    bool of_numbers = true;
  };
  void Add(const Tree& tree);
  Node SplitNode(const Tree& tree, const TreeNode& node);
  uint32_t SetGoesRight(const Node& node, float x) const;
  template <bool OfNumbers>
  uint32_t GoesRight(const Node& node, const float* row) const;
  template <bool OfNumbers>
  void PredictRow(std::span<const float> row, std::span<float> out) const;
  template <bool OfNumbers>
  void Walk(const Plan& plan, const float* rows, int64_t count, float* out) const;

  const Forest& forest_;
  std::vector<Node> nodes_;
  std::vector<Plan> plans_;
  std::vector<uint32_t> sets_;  // For each split: the number of categories, then its set.
  bool of_numbers_ = true;      // No tree has categories.
};

}  // namespace protium
