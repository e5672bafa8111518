// SPDX-License-Identifier: Apache-2.0
#include "trees/loose_tree.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"

namespace protium {

Result<Tree> LayOut(std::span<const LooseNode> nodes, std::vector<uint32_t> sets) {
  const auto bad = [](int64_t node, const char* what) {
    return Fail({.exit = Exit::kInput, .what = fmt::format("node {} of a tree {}", node, what)});
  };
  if (nodes.empty()) return bad(0, "does not exist");
  std::vector<bool> reached(nodes.size());
  std::vector<size_t> order = {0};
  reached[0] = true;
  Tree tree{.sets = std::move(sets)};
  for (size_t i = 0; i < order.size(); ++i) {
    const LooseNode& loose = nodes[order[i]];
    TreeNode& node = tree.nodes.emplace_back(loose.node);
    node.left = -1;
    if (node.leaf()) continue;
    node.left = int32_t(order.size());
    for (const int64_t child : {loose.left, loose.right}) {
      if (child < 0 || child >= int64_t(nodes.size())) return bad(child, "does not exist");
      if (reached[size_t(child)]) return bad(child, "belongs to two parents");
      reached[size_t(child)] = true;
      order.push_back(size_t(child));
    }
  }
  return tree;
}

}  // namespace protium
