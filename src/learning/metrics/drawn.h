// SPDX-License-Identifier: Apache-2.0
// Turns states of Diagnostics (diagnostics.h) into the points that a report plots.
#pragma once

#include <vector>

#include "metrics/diagnostics.h"

namespace protium {

// Returns {"predicted_actual", "residuals"} for a sample.
Json DrawPairs(std::vector<PairSample::Pair> pairs);
// Returns {"roc", "precision_recall"} for a sorted bag; a curve is empty unless both classes have
// rows.
Json DrawCurves(const std::vector<Ranked>& sorted);
// Returns [[mean probability, share of positive rows, weight], ...] for each tenth of the
// probability that has rows.
Json DrawCalibration(const std::vector<Ranked>& sorted);

}  // namespace protium
