// SPDX-License-Identifier: Apache-2.0
// The exact quantile of what is left of the labels in each leaf: the least residual such that at
// least that share of the leaf's weight is at or below it. An element of the data, the same for any
// number of ranks and any order of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

// Collective. `leaves`: the own rows of each; all ranks pass the same number. `residuals` and
// `weights` have a value for every own row; weights count as whole numbers of 2^-20 of the largest.
// Returns one value per leaf; 0 for a leaf without weight. Takes three passes over the rows.
Result<std::vector<float>> LeafQuantiles(std::span<const std::span<const uint32_t>> leaves,
                                         std::span<const float> residuals,
                                         std::span<const float> weights, double level,
                                         Communicator& communicator);

}  // namespace protium
