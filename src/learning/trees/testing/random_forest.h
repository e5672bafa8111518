// SPDX-License-Identifier: Apache-2.0
// For tests: forests that nobody trained, and what they predict of rows that are known in part, by
// definition.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trees/forest.h"

namespace protium {

inline constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

// Forests over numbers 0 .. 1 and categories, with splits of any kind anywhere.
class RandomForest {
 public:
  RandomForest(uint64_t seed, std::vector<int64_t> cardinalities) : random_(seed) {
    for (const int64_t cardinality : cardinalities) {
      forest_.columns.push_back({std::string(1, char('a' + forest_.columns.size())), cardinality});
    }
  }

  Forest Make(size_t outputs, size_t trees, size_t leaves) {
    for (size_t o = 0; o < outputs; ++o) forest_.base.push_back(float(Uniform()));
    for (size_t t = 0; t < trees; ++t) forest_.trees.push_back(MakeTree(leaves));
    EXPECT_TRUE(CheckForest(forest_).ok());
    return forest_;
  }

  std::vector<float> Row() {
    std::vector<float> row;
    for (const ForestColumn& column : forest_.columns) {
      float x = float(Uniform());
      if (column.cardinality > 0) x = std::floor(x * float(column.cardinality + 1));
      row.push_back(Uniform() < 0.1 ? kNoValue : x);
    }
    return row;
  }

 private:
  double Uniform() { return std::uniform_real_distribution<double>()(random_); }
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }

  Tree MakeTree(size_t leaves) {
    Tree tree{.nodes = {{.value = float(Uniform()), .cover = 100}}};
    while (size_t(tree.leaves()) < leaves) {
      const size_t i = Below(tree.nodes.size());
      if (tree.nodes[i].leaf()) Split(i, tree);
    }
    return tree;
  }

  void Split(size_t i, Tree& tree) {
    TreeNode& node = tree.nodes[i];
    node.column = int32_t(Below(forest_.columns.size()));
    node.left = int32_t(tree.nodes.size());
    node.missing_left = Uniform() < 0.5;
    node.threshold = float(Uniform());
    const int64_t cardinality = forest_.columns[size_t(node.column)].cardinality;
    node.set = int32_t(tree.sets.size());
    for (int64_t w = 0; w < SetWords(cardinality); ++w) tree.sets.push_back(uint32_t(random_()));
    // Some sides are empty, and some are below an empty side.
    const double share = Uniform() < 0.15 ? 0 : Uniform(), cover = node.cover;
    for (const double part : {share, 1 - share}) {
      tree.nodes.push_back({.value = float(Uniform()) - 0.5f, .cover = cover * part});
    }
  }

  std::mt19937_64 random_;
  Forest forest_;
};

// What a subtree predicts if only the columns of `known` are.
inline double Expected(const Forest& forest, const Tree& tree, int32_t at,
                       const std::vector<float>& row, uint32_t known) {
  const TreeNode& node = tree.nodes[size_t(at)];
  if (node.leaf()) return node.value;
  const auto column = size_t(node.column);
  if (known >> column & 1) {
    const int32_t next = tree.Next(node, forest.columns[column], row[column]);
    return Expected(forest, tree, next, row, known);
  }
  const double left = tree.nodes[size_t(node.left)].cover;
  const double right = tree.nodes[size_t(node.left) + 1].cover;
  const double share = left + right == 0 ? 0.5 : left / (left + right);
  return share * Expected(forest, tree, node.left, row, known) +
         (1 - share) * Expected(forest, tree, node.left + 1, row, known);
}

inline double Expected(const Forest& forest, size_t output, const std::vector<float>& row,
                       uint32_t known) {
  double sum = forest.base[output];
  for (size_t t = output; t < forest.trees.size(); t += forest.base.size()) {
    sum += Expected(forest, forest.trees[t], 0, row, known);
  }
  return sum;
}

}  // namespace protium
