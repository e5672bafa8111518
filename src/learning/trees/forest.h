// SPDX-License-Identifier: Apache-2.0
// What training makes: trees over the columns of a row, whose leaves add up to outputs.
//
// 1. A row is one float32 per column, in the order of Forest::columns. A category is its index; NaN
//    means missing, and so does an index that the column does not have.
// 2. At a split a number goes left if x <= threshold, compared as float32; a category goes left if
//    its bit in the split's set is set. A missing value goes where TreeNode::missing_left says, and
//    so does a category that no training row at this node had.
// 3. Output o of a row is base[o] plus the values of the leaves that it reaches in the trees o,
//    o + outputs, o + 2 * outputs, ..., added in this order as float32. So it depends on the row
//    alone, and a forest without its last trees gives what training measured before them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct ForestColumn {
  std::string name;
  int64_t cardinality = 0;  // 0: a number; else a category with the indices 0 .. cardinality-1.
  bool operator==(const ForestColumn&) const = default;
};

// Node 0 is the root; children come after their parent.
struct TreeNode {
  int32_t column = -1;  // -1: a leaf.
  int32_t left = -1;    // The right child is left + 1.
  float threshold = 0;  // For numbers; finite or infinite, never NaN.
  int32_t set = -1;     // For categories: where the split's set begins in Tree::sets.
  bool missing_left = false;
  float value = 0;   // Of a leaf: what it adds to the output.
  float gain = 0;    // Of a split: by how much it lowers the loss, 0 or more.
  double cover = 0;  // The sum of the hessians of the training rows that come here.
  bool leaf() const { return column < 0; }
  bool operator==(const TreeNode&) const = default;
};

struct Tree {
  std::vector<TreeNode> nodes;
  // The sets of categories, each of SetWords(cardinality) words; bit c % 32 of word c / 32 is that
  // of category c.
  std::vector<uint32_t> sets;

  int64_t leaves() const { return (int64_t(nodes.size()) + 1) / 2; }
  // Where a row goes from a split node: the position of the child.
  int32_t Next(const TreeNode& node, const ForestColumn& column, float x) const;
  // The leaf that the row reaches.
  const TreeNode& LeafOf(std::span<const ForestColumn> columns, std::span<const float> row) const;
  bool operator==(const Tree&) const = default;
};
inline int64_t SetWords(int64_t cardinality) { return (cardinality + 31) / 32; }

struct Forest {
  std::vector<ForestColumn> columns;
  std::vector<float> base;  // One per output.
  std::vector<Tree> trees;  // A multiple of outputs().

  int64_t outputs() const { return int64_t(base.size()); }
  int64_t rounds() const { return int64_t(trees.size()) / outputs(); }
  // `row` has columns.size() values; writes outputs() of them.
  void Predict(std::span<const float> row, std::span<float> out) const;
  bool operator==(const Forest&) const = default;
};

// Fails with Exit::kInput for a forest that reading a damaged or hostile file may give: children
// that do not come after their parent or are reached twice, columns and sets that do not exist,
// NaN, a number of trees that is no multiple of the outputs. Prediction relies on what this checks.
Status CheckForest(const Forest& forest);

// What a split on each column has gained and how often it was used, over all trees.
struct SplitImportance {
  std::vector<double> gain;
  std::vector<double> cover;
  std::vector<int64_t> splits;
};
SplitImportance ImportanceOfSplits(const Forest& forest);

}  // namespace protium
