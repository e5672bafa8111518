// SPDX-License-Identifier: Apache-2.0
#include "trees/part_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace protium {
namespace {

// Rows that go through a tree together: their positions stay in the second cache.
constexpr int64_t kBlock = 1 << 14;

template <class Bin>
int64_t PartBy(const Bin* bins, const uint8_t* goes_left, std::span<uint32_t> which,
               std::span<uint32_t> aside) {
  uint32_t* to_left = which.data();
  uint32_t* to_right = aside.data();
  for (const uint32_t row : which) {
    const uint8_t left = goes_left[bins[row]];
    *to_left = row;
    *to_right = row;
    to_left += left;
    to_right += 1 - left;
  }
  std::copy(aside.data(), to_right, to_left);
  return to_left - which.data();
}

}  // namespace

int64_t PartRows(const BinnedRows& rows, const SplitRule& rule, std::span<uint32_t> which,
                 std::span<uint32_t> aside) {
  const int32_t missing = rows.bins(rule.column).missing();
  std::vector<uint8_t> left(size_t(missing) + 1);
  for (int32_t b = 0; b <= missing; ++b) left[size_t(b)] = rule.GoesLeft(b, missing) ? 1 : 0;
  return rows.is_narrow(rule.column) ? PartBy(rows.bytes(rule.column), left.data(), which, aside)
                                     : PartBy(rows.words(rule.column), left.data(), which, aside);
}

void AddLeaves(const BinnedRows& rows, const Tree& tree, std::span<const SplitRule> rules,
               std::span<float> out) {
  std::vector<uint32_t> which(size_t(std::min(kBlock, rows.rows()))), aside(which.size());
  std::vector<std::span<uint32_t>> at(tree.nodes.size());
  for (int64_t first = 0; first < rows.rows(); first += kBlock) {
    at[0] = std::span(which).first(size_t(std::min(kBlock, rows.rows() - first)));
    std::iota(at[0].begin(), at[0].end(), uint32_t(first));
    // Children come after their parent.
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      const TreeNode& node = tree.nodes[i];
      if (node.leaf()) {
        for (const uint32_t row : at[i]) out[row] += node.value;
        continue;
      }
      const auto left = size_t(PartRows(rows, rules[i], at[i], aside));
      at[size_t(node.left)] = at[i].first(left);
      at[size_t(node.left) + 1] = at[i].subspan(left);
    }
  }
}

}  // namespace protium
