// SPDX-License-Identifier: Apache-2.0
// The best split of a node, from its histogram.
//
// 1. The gain is score(left) + score(right) - score(node), where a child with sums G and H takes
//    the value w = -soft(G, l1) / (H + l2) and its score is -(2 G w + (H + l2) w^2 + 2 l1 |w|): for
//    l1 = 0, G^2 / (H + l2). It is twice by how much the penalised loss falls (Chen and Guestrin,
//    "XGBoost", 2016, without their factor 1/2).
// 2. Sums are exact and everything else is one fixed sequence of double operations, so all ranks
//    choose the same. Of equal gains the first wins: by column, then by bin, missing right before
//    missing left.
// 3. Missing values go where the gain is larger; if the node has none, where more of its weight is.
// 4. A category that the node has no weight of goes where missing values go.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "protium/trees.h"
#include "trees/histogram.h"

namespace protium {

// Where a row goes, by its bin.
struct SplitRule {
  int32_t column = -1;  // -1: a leaf.
  int32_t bin = 0;      // For numbers: bins up to this go left.
  bool missing_left = false;
  std::vector<uint8_t> left;  // For categories: 1 for the bins that go left, the missing one too.
  bool GoesLeft(int32_t at, int32_t missing) const {
    if (!left.empty()) return left[size_t(at)] != 0;
    return at == missing ? missing_left : at <= bin;
  }
};

// Between which values a node's leaves must lie, for columns with a direction.
struct ValueBounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct NodeSplit {
  double gain = 0;
  SplitRule rule;
  Cell left, right;
  ValueBounds left_bounds, right_bounds;
};

// Immutable: any thread. Borrows options and layout.
class SplitSearch {
 public:
  // `directions`: one per column, 1 rising, -1 falling, 0 neither; empty: all 0.
  SplitSearch(const TreeOptions& options, std::span<const ColumnBins> bins,
              const HistogramLayout& layout, std::vector<int8_t> directions);

  // The value of a leaf with these sums, before the learning rate.
  double ValueOf(const Cell& sums, const Grid& grid, const ValueBounds& bounds) const;
  // `columns`: those that may be split on, ascending. Returns nothing if no split gains more than
  // options.min_gain.
  std::optional<NodeSplit> Best(std::span<const Cell> histogram, const Grid& grid,
                                const ValueBounds& bounds, std::span<const int32_t> columns) const;
  // Whether a node could have a split at all.
  bool MayHaveSplit(const Cell& sums, const Grid& grid) const;

 private:
  struct Node;
  struct Cuts;
  struct FoundSet;
  double Score(double gradient, double hessian, const ValueBounds& bounds) const;
  double ValueOf(double gradient, double hessian, const ValueBounds& bounds) const;
  // Passes a candidate, whose left side has the sums `left`; keeps it if it is better.
  bool Try(const Node& node, int32_t column, const Cell& left, double smoothing,
           NodeSplit& best) const;
  void GainsOf(const Node& node, int32_t count, Cuts& cuts) const;
  void SearchFast(const Node& node, int32_t column, NodeSplit& best) const;
  void SearchNumber(const Node& node, int32_t column, NodeSplit& best) const;
  void SearchCategories(const Node& node, int32_t column, NodeSplit& best) const;
  // Tries categories with these sums as the left side, with missing values on either side.
  bool TrySet(const Node& node, int32_t column, const Cell& sums, double smoothing,
              bool& missing_left, NodeSplit& best) const;
  void SortByRatio(const Node& node, std::span<const Cell> cells, std::vector<int32_t>& bins) const;

  const TreeOptions& options_;
  std::span<const ColumnBins> bins_;
  const HistogramLayout& layout_;
  std::vector<int8_t> directions_;
  bool plain_ = true;  // No l1 and no directions: scores are G^2 / (H + l2).
};

}  // namespace protium
