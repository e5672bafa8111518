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

// A leaf's column is 0, which exists: a forest without columns has no splits.
inline uint32_t BatchForest::GoesRight(const Node& node, const float* row) {
  const float x = row[node.column & ~kMissingLeft];
  const uint32_t missing = (node.column >> 31) ^ 1;
  return std::isnan(x) ? missing : uint32_t(x > node.threshold);
}

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
    // Until all of them are at leaves: few trees are as deep everywhere as at their deepest leaf.
    for (uint32_t moved = plan.depth > 0 ? 1 : 0; moved != 0;) {
      moved = 0;
      for (int64_t i = 0; i < some; ++i) {
        const Node& here = nodes[node[i]];
        const uint32_t next = here.left + GoesRight(here, rows + (at + i) * columns);
        moved |= next ^ node[i];
        node[i] = next;
      }
    }
    for (int64_t i = 0; i < some; ++i) out[(at + i) * outputs] += nodes[node[i]].value;
  }
}

// One row goes through several trees at once.
void BatchForest::PredictRow(std::span<const float> row, std::span<float> out) const {
  static constexpr Node nowhere{.threshold = INFINITY, .column = kMissingLeft};
  std::ranges::copy(forest_.base, out.begin());
  for (size_t first = 0; first < plans_.size(); first += size_t(kTogether)) {
    const size_t some = std::min(size_t(kTogether), plans_.size() - first);
    const Node* at[kTogether];
    const Node* root[kTogether];
    for (size_t t = 0; t < some; ++t) {
      const int64_t node = plans_[first + t].first;
      at[t] = root[t] = node < 0 ? &nowhere : &nodes_[size_t(node)];
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t t = 0; t < some; ++t) {
        const Node* const next = root[t] + at[t]->left + GoesRight(*at[t], row.data());
        moved |= next != at[t];
        at[t] = next;
      }
    }
    for (size_t t = 0; t < some; ++t) {
      const bool walked = plans_[first + t].first >= 0;
      out[(first + t) % out.size()] +=
          walked ? at[t]->value : forest_.trees[first + t].LeafOf(forest_.columns, row).value;
    }
  }
}

void BatchForest::Predict(std::span<const float> rows, int64_t count, std::span<float> out) const {
  const auto columns = forest_.columns.size(), outputs = forest_.base.size();
  if (count < kTogether) {
    for (size_t i = 0; i < size_t(count); ++i) {
      PredictRow(rows.subspan(i * columns, columns), out.subspan(i * outputs, outputs));
    }
    return;
  }
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
