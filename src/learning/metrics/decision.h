// SPDX-License-Identifier: Apache-2.0
// How the outputs of a net for classes and flags become decisions: calibrated probabilities, and
// the probability above which a row counts as positive. Fitted on validation rows (fit_decision.h),
// stored in the model.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/status.h"
#include "protium/training.h"

namespace protium {

// A score is an output divided by `temperature`; then, if there are `outputs`, the logit of the
// probability interpolated between the points (outputs[i], probabilities[i]), constant beyond the
// first and last. For two classes and for flags, a score above `cut` counts as class 1. The default
// changes nothing.
struct Decision {
  double cut = 0;  // The logit of the threshold, ln(t / (1 - t)).
  double temperature = 1;
  std::vector<double> outputs;        // Ascending.
  std::vector<double> probabilities;  // One per output, not falling, above 0 and below 1.

  // Turns the outputs of one row into scores.
  void Calibrate(std::span<double> scores) const;
  // The cut as a probability.
  double threshold() const;
  // Fails for a decision that cannot be applied: decisions are read from files.
  Status Check() const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("cut", cut);
    visit("temperature", temperature);
    visit("outputs", outputs);
    visit("probabilities", probabilities);
  }
};

// The probability of a logit. For a very negative logit exp() is infinite and the quotient exactly
// 0, so no special case is needed.
inline double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

// ln(p / (1 - p)), with the same bits on every machine; exactly 0 for 0.5.
double Logit(double probability);

}  // namespace protium
