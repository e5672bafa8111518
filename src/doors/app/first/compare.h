// SPDX-License-Identifier: Apache-2.0
// Trees or a net: which of the two fits a table better, for `protium init`.
#pragma once

#include <string>

#include "inspect/first_outline.h"

namespace protium {

struct Compared {
  FirstEstimator best = FirstEstimator::kTrees;
  // "trees fit best: log_loss 0.443, a net 0.468": the same for the same table. Where neither could
  // be measured in time, says why, and trees are taken.
  std::string why;
  std::string effort;  // "on 8,000 rows in 2.1 s"; empty: not measured.
};

// Fits the jobs of both estimators, made smaller, to a sample of the training rows, and measures
// them on rows held out from it by rmse or log_loss. Takes a few seconds, and a minute at
// most; rows are chosen by a hash, so that the result depends on nothing but the table. Works in a
// temporary folder, with workers of this program. Blocks.
Compared CompareEstimators(const JobOutline& outline);

}  // namespace protium
