// SPDX-License-Identifier: Apache-2.0
#include "trees/predict.h"

#include <algorithm>
#include <cmath>

namespace protium {
namespace {

constexpr uint32_t kMissingLeft = uint32_t{1} << 31;
// Rows that one tree goes over before the next one, and those on their way at once.
constexpr int64_t kBlock = 256;
constexpr int64_t kTogether = 8;

bool OfNumbers(const Forest& forest, const Tree& tree) {
  return std::ranges::all_of(tree.nodes, [&](const TreeNode& node) {
    return node.leaf() || forest.columns[size_t(node.column)].cardinality == 0;
  });
}

}  // namespace

BatchForest::BatchForest(const Forest& forest) : forest_(forest) {
  for (const Tree& tree : forest.trees) Add(tree);
}

void BatchForest::Add(const Tree& tree) {
  if (!OfNumbers(forest_, tree)) {
    plans_.push_back({.first = -1});
    return;
  }
  Plan plan{.first = int64_t(nodes_.size())};
  std::vector<int32_t> depth(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    plan.depth = std::max(plan.depth, depth[i]);
    if (node.leaf()) {
      // Nothing is above infinity, and missing values go left: all come back.
      nodes_.push_back({INFINITY, kMissingLeft, uint32_t(i), node.value});
      continue;
    }
    depth[size_t(node.left)] = depth[size_t(node.left) + 1] = depth[i] + 1;
    const uint32_t missing = node.missing_left ? kMissingLeft : 0;
    nodes_.push_back({node.threshold, uint32_t(node.column) | missing, uint32_t(node.left), 0});
  }
  plans_.push_back(plan);
}

void BatchForest::Walk(const Plan& plan, const float* rows, int64_t count, float* out) const {
  const Node* const nodes = nodes_.data() + plan.first;
  const auto columns = int64_t(forest_.columns.size());
  const int64_t outputs = forest_.outputs();
  for (int64_t at = 0; at < count; at += kTogether) {
    const int64_t some = std::min(kTogether, count - at);
    uint32_t node[kTogether] = {};
    for (int32_t d = 0; d < plan.depth; ++d) {
      for (int64_t i = 0; i < some; ++i) {
        const Node& here = nodes[node[i]];
        const float x = rows[(at + i) * columns + int64_t(here.column & ~kMissingLeft)];
        const bool right = std::isnan(x) ? (here.column & kMissingLeft) == 0 : x > here.threshold;
        node[i] = here.left + uint32_t(right);
      }
    }
    for (int64_t i = 0; i < some; ++i) out[(at + i) * outputs] += nodes[node[i]].value;
  }
}

void BatchForest::Predict(std::span<const float> rows, int64_t count, std::span<float> out) const {
  const auto columns = forest_.columns.size(), outputs = forest_.base.size();
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t some = std::min(kBlock, count - first);
    const float* const block = rows.data() + size_t(first) * columns;
    float* const to = out.data() + size_t(first) * outputs;
    for (int64_t i = 0; i < some; ++i) std::ranges::copy(forest_.base, to + size_t(i) * outputs);
    for (size_t t = 0; t < plans_.size(); ++t) {
      float* const output = to + t % outputs;
      if (plans_[t].first >= 0) {
        Walk(plans_[t], block, some, output);
        continue;
      }
      for (size_t i = 0; i < size_t(some); ++i) {
        output[i * outputs] +=
            forest_.trees[t].LeafOf(forest_.columns, {block + i * columns, columns}).value;
      }
    }
  }
}

}  // namespace protium
