// SPDX-License-Identifier: Apache-2.0
#include "trees/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"

namespace protium {
namespace {

bool Contains(const Tree& tree, int32_t set, int64_t category) {
  return (tree.sets[size_t(set + category / 32)] >> (category % 32) & 1) != 0;
}

Status Bad(size_t tree, size_t node, const std::string& what) {
  return Fail(
      {.exit = Exit::kInput, .what = fmt::format("node {} of tree {} {}", node, tree, what)});
}

Status CheckSplit(const Forest& forest, size_t t, size_t i, std::vector<bool>& reached) {
  const Tree& tree = forest.trees[t];
  const TreeNode& node = tree.nodes[i];
  if (node.column >= int64_t(forest.columns.size())) return Bad(t, i, "splits on no column");
  if (node.left <= int64_t(i) || int64_t(node.left) + 1 >= int64_t(tree.nodes.size())) {
    return Bad(t, i, "has children that do not come after it");
  }
  if (reached[size_t(node.left)] || reached[size_t(node.left) + 1]) {
    return Bad(t, i, "shares a child with another node");
  }
  reached[size_t(node.left)] = reached[size_t(node.left) + 1] = true;
  const int64_t cardinality = forest.columns[size_t(node.column)].cardinality;
  if (cardinality == 0 && std::isnan(node.threshold)) return Bad(t, i, "has no threshold");
  const int64_t end = int64_t(node.set) + SetWords(cardinality);
  if (cardinality > 0 && (node.set < 0 || end > int64_t(tree.sets.size()))) {
    return Bad(t, i, "has no set of categories");
  }
  return Status::OK();
}

Status CheckTree(const Forest& forest, size_t t) {
  const Tree& tree = forest.trees[t];
  if (tree.nodes.empty()) return Bad(t, 0, "does not exist");
  std::vector<bool> reached(tree.nodes.size());
  reached[0] = true;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (!reached[i]) return Bad(t, i, "is no one's child");
    if (!std::isfinite(node.cover) || !std::isfinite(node.gain)) return Bad(t, i, "is not finite");
    if (node.leaf()) {
      if (!std::isfinite(node.value)) return Bad(t, i, "has a value that is not finite");
      continue;
    }
    PT_TRY(CheckSplit(forest, t, i, reached));
  }
  return Status::OK();
}

}  // namespace

int32_t Tree::Next(const TreeNode& node, const ForestColumn& column, float x) const {
  bool left = node.missing_left;
  if (column.cardinality == 0) {
    left = std::isnan(x) ? left : x <= node.threshold;
  } else if (x >= 0 && x < float(column.cardinality)) {
    left = Contains(*this, node.set, int64_t(x));
  }
  return left ? node.left : node.left + 1;
}

const TreeNode& Tree::LeafOf(std::span<const ForestColumn> columns,
                             std::span<const float> row) const {
  const TreeNode* node = nodes.data();
  while (!node->leaf()) {
    const auto column = size_t(node->column);
    node = &nodes[size_t(Next(*node, columns[column], row[column]))];
  }
  return *node;
}

void Forest::Predict(std::span<const float> row, std::span<float> out) const {
  std::copy(base.begin(), base.end(), out.begin());
  for (size_t t = 0; t < trees.size(); ++t) {
    out[t % base.size()] += trees[t].LeafOf(columns, row).value;
  }
}

Status CheckForest(const Forest& forest) {
  const auto fails = [](const std::string& what) {
    return Fail({.exit = Exit::kInput, .what = what});
  };
  if (forest.base.empty()) return fails("the forest has no outputs");
  if (forest.trees.size() % forest.base.size() != 0) {
    return fails(fmt::format("the forest has {} trees for {} outputs", forest.trees.size(),
                             forest.base.size()));
  }
  for (const float base : forest.base) {
    if (!std::isfinite(base)) return fails("the forest starts from a value that is not finite");
  }
  for (size_t t = 0; t < forest.trees.size(); ++t) PT_TRY(CheckTree(forest, t));
  return Status::OK();
}

SplitImportance ImportanceOfSplits(const Forest& forest) {
  SplitImportance out;
  out.gain.resize(forest.columns.size());
  out.cover.resize(forest.columns.size());
  out.splits.resize(forest.columns.size());
  for (const Tree& tree : forest.trees) {
    for (const TreeNode& node : tree.nodes) {
      if (node.leaf()) continue;
      const auto column = size_t(node.column);
      out.gain[column] += node.gain;
      out.cover[column] += node.cover;
      out.splits[column] += 1;
    }
  }
  return out;
}

}  // namespace protium
