// SPDX-License-Identifier: Apache-2.0
// Regression trees that predict a trial's value from its options (Breiman, "Random forests", 2001):
// each is grown on a bootstrap of the trials and splits, until a side would have too few of them,
// where the squared error falls most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trials/cells.h"

namespace protium {

// What a tree predicts in a box of the space.
struct TrialLeaf {
  std::vector<uint64_t> cells;  // By option: those that the box has.
  double value = 0;
  double volume = 0;  // Its share of the space.
};

// The leaves of a tree divide the space.
using TrialTree = std::vector<TrialLeaf>;

struct TrialPoint {
  std::vector<uint8_t> cells;  // By option.
  double value = 0;
};

// Returns 64 trees, the same ones for the same points. `points` must not be empty.
std::vector<TrialTree> GrowTrialForest(std::span<const OptionCells> options,
                                       std::span<const TrialPoint> points);

}  // namespace protium
