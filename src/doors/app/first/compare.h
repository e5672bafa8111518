// SPDX-License-Identifier: Apache-2.0
// Trees or a net: which of the two fits a table better, for `protium init`.
#pragma once

#include <string>
#include <vector>

#include "inspect/first_outline.h"

namespace protium {

struct Compared {
  FirstEstimator best = FirstEstimator::kTrees;
  // "trees fit best: log_loss 0.443, a net 0.468": the same for the same table. Where neither could
  // be measured in time, says why, and trees are taken.
  std::string why;
  // What makes that estimator clearly better: words of texts, texts of many values, the logarithm
  // of the label.
  bool words = false, many_values = false, log_label = false;
  std::vector<std::string> notes;  // The figures of these, also where they do not help.
  // "rmse on held-out rows of a sample: trees 6.86, a net 13.1, a linear model 17.2"; empty: not
  // measured.
  std::string figures;
  std::string effort;  // "on 8,000 rows in 2.1 s"; empty: not measured.
};

// Whether the words of texts and the logarithm of a label are tried.
enum class Variants { kNone, kTried };

// Fits the jobs of both estimators, and of a linear model, made smaller, to a sample of the
// training rows, and measures them on rows held out from it by rmse or log_loss. Then the better
// of trees and net is measured with the words of texts (ReadWords()) and with texts of many values
// (ReadManyValues()), if there are any, and with the logarithm of a skewed label that is not
// negative. Takes a few seconds. Rows are chosen by a hash, and the limit of three minutes is far
// from what a busy machine needs, so that the result depends on nothing but the table. Works in a
// temporary folder, with workers of this program. Blocks.
Compared CompareEstimators(const JobOutline& outline, Variants variants);

}  // namespace protium
