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
  // A node of a tree of numbers alone, in 16 bytes. A leaf leads to itself.
  struct Node {
    float threshold = 0;
    uint32_t column = 0;  // Its highest bit: missing values go left.
    uint32_t left = 0;    // Position in the tree.
    float value = 0;
  };
  struct Plan {
    int64_t first = 0;  // In nodes_; -1: the tree has categories and is walked as it is.
    int32_t depth = 0;
  };
  void Add(const Tree& tree);
  static uint32_t GoesRight(const Node& node, const float* row);
  void PredictRow(std::span<const float> row, std::span<float> out) const;
  void Walk(const Plan& plan, const float* rows, int64_t count, float* out) const;

  const Forest& forest_;
  std::vector<Node> nodes_;
  std::vector<Plan> plans_;
};

}  // namespace protium
