// SPDX-License-Identifier: Apache-2.0
// How the predictions of a forest change with one column: its partial dependence, as Friedman
// computes it for trees ("Greedy Function Approximation", 2001, section 8.2). It needs no rows: at
// splits on other columns both branches count, by the cover of the training rows, half each where
// none came.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/forest.h"

namespace protium {

// The finite thresholds of all splits on a column of numbers, ascending, each once. Between two
// neighbours predictions do not change with the column, nor below the first and above the last.
std::vector<float> ThresholdsOf(const Forest& forest, int32_t column);

// Returns [values, outputs]: what the forest, which has passed CheckForest(), predicts on average
// where the column has that value. NaN is a missing one. Takes time in proportion to the nodes of
// the forest, and to the splits on the column times the values.
std::vector<double> PartialDependence(const Forest& forest, int32_t column,
                                      std::span<const float> values);

}  // namespace protium
