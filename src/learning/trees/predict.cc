// SPDX-License-Identifier: Apache-2.0
#include "trees/predict.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace protium {
namespace {

constexpr uint32_t kMissingLeft = uint32_t{1} << 31;
constexpr uint32_t kOfCategories = uint32_t{1} << 30;
constexpr uint32_t kColumn = kOfCategories - 1;
// Rows that one tree goes over before the next one, and those on their way at once.
constexpr int64_t kBlock = 256;
constexpr int64_t kTogether = 8;

}  // namespace

BatchForest::BatchForest(const Forest& forest) : forest_(forest) {
  for (const Tree& tree : forest.trees) Add(tree);
}

void BatchForest::Add(const Tree& tree) {
  Plan plan{.first = int64_t(nodes_.size())};
  std::vector<int32_t> depth(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    plan.depth = std::max(plan.depth, depth[i]);
    if (node.leaf()) {
      // Nothing is above infinity, and missing values go left: all come back.
      nodes_.push_back({std::bit_cast<uint32_t>(INFINITY), kMissingLeft, uint32_t(i), node.value});
      continue;
    }
    depth[size_t(node.left)] = depth[size_t(node.left) + 1] = depth[i] + 1;
    nodes_.push_back(SplitNode(tree, node));
    plan.of_numbers = plan.of_numbers && (nodes_.back().column & kOfCategories) == 0;
  }
  of_numbers_ = of_numbers_ && plan.of_numbers;
  plans_.push_back(plan);
}

BatchForest::Node BatchForest::SplitNode(const Tree& tree, const TreeNode& node) {
  Node out{.threshold = std::bit_cast<uint32_t>(node.threshold),
           .column = uint32_t(node.column) | (node.missing_left ? kMissingLeft : 0),
           .left = uint32_t(node.left)};
  const int64_t cardinality = forest_.columns[size_t(node.column)].cardinality;
  if (cardinality == 0) return out;
  out.threshold = uint32_t(sets_.size());
  out.column |= kOfCategories;
  sets_.push_back(uint32_t(cardinality));
  const auto set = tree.sets.begin() + node.set;
  sets_.insert(sets_.end(), set, set + SetWords(cardinality));
  return out;
}

inline uint32_t BatchForest::SetGoesRight(const Node& node, float x) const {
  const uint32_t* const set = sets_.data() + node.threshold;
  if (!(x >= 0 && x < float(set[0]))) return (node.column >> 31) ^ 1;
  const auto category = uint32_t(x);
  return ((set[1 + category / 32] >> (category % 32)) & 1) ^ 1;
}

// A leaf's column is 0, which exists: a forest without columns has no splits. A jump costs less
// than looking for a set at every node.
template <bool OfNumbers>
inline uint32_t BatchForest::GoesRight(const Node& node, const float* row) const {
  const float x = row[node.column & kColumn];
  if (!OfNumbers && (node.column & kOfCategories) != 0) return SetGoesRight(node, x);
  const uint32_t missing = (node.column >> 31) ^ 1;
  return std::isnan(x) ? missing : uint32_t(x > std::bit_cast<float>(node.threshold));
}

template <bool OfNumbers>
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
        const uint32_t next = here.left + GoesRight<OfNumbers>(here, rows + (at + i) * columns);
        moved |= next ^ node[i];
        node[i] = next;
      }
    }
    for (int64_t i = 0; i < some; ++i) out[(at + i) * outputs] += nodes[node[i]].value;
  }
}

// One row goes through several trees at once.
template <bool OfNumbers>
void BatchForest::PredictRow(std::span<const float> row, std::span<float> out) const {
  std::ranges::copy(forest_.base, out.begin());
  for (size_t first = 0; first < plans_.size(); first += size_t(kTogether)) {
    const size_t some = std::min(size_t(kTogether), plans_.size() - first);
    const Node* at[kTogether];
    const Node* root[kTogether];
    for (size_t t = 0; t < some; ++t) at[t] = root[t] = &nodes_[size_t(plans_[first + t].first)];
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t t = 0; t < some; ++t) {
        const Node* const next = root[t] + at[t]->left + GoesRight<OfNumbers>(*at[t], row.data());
        moved |= next != at[t];
        at[t] = next;
      }
    }
    for (size_t t = 0; t < some; ++t) out[(first + t) % out.size()] += at[t]->value;
  }
}

void BatchForest::Predict(std::span<const float> rows, int64_t count, std::span<float> out) const {
  const auto columns = forest_.columns.size(), outputs = forest_.base.size();
  if (count < kTogether) {
    for (size_t i = 0; i < size_t(count); ++i) {
      const auto row = rows.subspan(i * columns, columns);
      const auto to = out.subspan(i * outputs, outputs);
      of_numbers_ ? PredictRow<true>(row, to) : PredictRow<false>(row, to);
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
      if (plans_[t].of_numbers) {
        Walk<true>(plans_[t], block, some, output);
      } else {
        Walk<false>(plans_[t], block, some, output);
      }
    }
  }
}

}  // namespace protium
