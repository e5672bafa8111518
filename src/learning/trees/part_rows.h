// SPDX-License-Identifier: Apache-2.0
// Divides binned rows as splits do. Rows go through a tree node by node, not one by one: each node
// reads one column from front to back.
#pragma once

#include <cstdint>
#include <span>

#include "trees/binned_rows.h"
#include "trees/forest.h"
#include "trees/split.h"

namespace protium {

// Moves those of `which`, positions of rows, that go left to the front; both sides keep their
// order. Returns how many go left. `aside` has room for as many.
int64_t PartRows(const BinnedRows& rows, const SplitRule& rule, std::span<uint32_t> which,
                 std::span<uint32_t> aside);

// Adds to `out`, one for each row, the value of the leaf that the row reaches. `rules`: one per
// node of the tree.
void AddLeaves(const BinnedRows& rows, const Tree& tree, std::span<const SplitRule> rules,
               std::span<float> out);

}  // namespace protium
