// SPDX-License-Identifier: Apache-2.0
// Trees as files of other programs lay them out: nodes in any order, children anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "trees/forest.h"

namespace protium {

struct LooseNode {
  TreeNode node;                  // `left` is ignored.
  int64_t left = -1, right = -1;  // Positions of the children of a split.
};

// Lays the nodes that the first one leads to out as a Tree wants them; the others are dropped.
// Fails with Exit::kInput for a child that does not exist or belongs to two parents.
Result<Tree> LayOut(std::span<const LooseNode> nodes, std::vector<uint32_t> sets);

}  // namespace protium
