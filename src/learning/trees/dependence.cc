// SPDX-License-Identifier: Apache-2.0
#include "trees/dependence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trees/explain.h"

namespace protium {
namespace {

// The values that come to a node, as a range of ValueWalk::order_, and the probability of that.
struct Arrival {
  size_t node = 0;
  double weight = 1;
  size_t begin = 0, end = 0;
};

// Sends all values through one tree after the other.
class ValueWalk {
 public:
  ValueWalk(const Forest& forest, int32_t column, std::span<const float> values)
      : column_(forest.columns[size_t(column)]),
        at_(column),
        values_(values),
        order_(values.size()),
        sums_(values.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  // Returns what the tree is expected to predict for each value.
  const std::vector<double>& Through(const Tree& tree) {
    Prepare(tree);
    std::ranges::fill(sums_, 0.0);
    arrivals_ = {{.end = order_.size()}};
    while (!arrivals_.empty()) {
      const Arrival here = arrivals_.back();
      arrivals_.pop_back();
      if (here.begin == here.end) continue;
      if (asks_[here.node]) {
        Part(tree, here);
        continue;
      }
      for (size_t i = here.begin; i < here.end; ++i) {
        sums_[order_[i]] += here.weight * mean_[here.node];
      }
    }
    return sums_;
  }

 private:
  // The mean of each subtree, and whether it asks for the column. Children come after parents.
  void Prepare(const Tree& tree) {
    mean_.assign(tree.nodes.size(), 0);
    asks_.assign(tree.nodes.size(), false);
    for (size_t i = tree.nodes.size(); i-- > 0;) {
      const TreeNode& node = tree.nodes[i];
      mean_[i] = node.value;
      if (node.leaf()) continue;
      const auto left = size_t(node.left);
      const double share = LeftShare(tree, node);
      mean_[i] = share * mean_[left] + (1 - share) * mean_[left + 1];
      asks_[i] = node.column == at_ || asks_[left] || asks_[left + 1];
    }
  }

  // Both sides of a split may get the same range: all below the first one is done before the second
  // one is looked at, and reorders the range only within itself.
  void Part(const Tree& tree, const Arrival& here) {
    const TreeNode& node = tree.nodes[here.node];
    Arrival left = here, right = here;
    left.node = size_t(node.left);
    right.node = left.node + 1;
    if (node.column == at_) {
      const auto first = order_.begin();
      const auto middle = std::partition(
          first + ptrdiff_t(here.begin), first + ptrdiff_t(here.end),
          [&](size_t v) { return tree.Next(node, column_, values_[v]) == node.left; });
      left.end = right.begin = size_t(middle - first);
    } else {
      const double share = LeftShare(tree, node);
      left.weight *= share;
      right.weight *= 1 - share;
    }
    arrivals_.push_back(right);
    arrivals_.push_back(left);
  }

  const ForestColumn& column_;
  int32_t at_;
  std::span<const float> values_;
  std::vector<size_t> order_;  // Positions of values.
  std::vector<double> sums_;
  std::vector<Arrival> arrivals_;  // The last is next.
  std::vector<double> mean_;       // Of the tree, by node.
  std::vector<bool> asks_;
};

}  // namespace

std::vector<float> ThresholdsOf(const Forest& forest, int32_t column) {
  std::vector<float> all;
  for (const Tree& tree : forest.trees) {
    for (const TreeNode& node : tree.nodes) {
      if (node.column == column && std::isfinite(node.threshold)) all.push_back(node.threshold);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<double> PartialDependence(const Forest& forest, int32_t column,
                                      std::span<const float> values) {
  const size_t outputs = forest.base.size();
  std::vector<double> out(values.size() * outputs);
  for (size_t i = 0; i < out.size(); ++i) out[i] = forest.base[i % outputs];
  ValueWalk walk(forest, column, values);
  for (size_t t = 0; t < forest.trees.size(); ++t) {
    const std::vector<double>& sums = walk.Through(forest.trees[t]);
    for (size_t v = 0; v < values.size(); ++v) out[v * outputs + t % outputs] += sums[v];
  }
  return out;
}

}  // namespace protium
