// SPDX-License-Identifier: Apache-2.0
// From states of Diagnostics (diagnostics.h) to the points that a report draws.
#pragma once

#include <vector>

#include "metrics/diagnostics.h"

namespace protium {

// {"predicted_actual", "residuals"} of a sample.
Json DrawPairs(std::vector<PairSample::Pair> pairs);
// {"roc", "precision_recall"} of a sorted bag; without rows of both classes a curve is empty.
Json DrawCurves(const std::vector<Ranked>& sorted);
// [[mean probability, share of positive rows, weight], ...] by tenths of the probability, without
// empty ones.
Json DrawCalibration(const std::vector<Ranked>& sorted);

}  // namespace protium
