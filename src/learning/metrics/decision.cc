// SPDX-License-Identifier: Apache-2.0
#include "metrics/decision.h"

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "base/strict_math.h"

namespace protium {
namespace {

// Interpolates linearly between the points; constant beyond the ends.
double Interpolated(std::span<const double> x, std::span<const double> y, double at) {
  const auto above = size_t(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  if (above == 0) return y.front();
  if (above == x.size()) return y.back();
  const double share = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + share * (y[above] - y[above - 1]);
}

}  // namespace

double Logit(double probability) { return StrictLog(probability / (1 - probability)); }

void Decision::Calibrate(std::span<double> scores) const {
  for (double& score : scores) {
    if (temperature != 1) score /= temperature;
    if (!outputs.empty()) score = Logit(Interpolated(outputs, probabilities, score));
  }
}

double Decision::threshold() const { return Sigmoid(cut); }

Status Decision::Check() const {
  bool whole = std::isfinite(cut) && std::isfinite(temperature) && temperature > 0 &&
               outputs.size() == probabilities.size() &&
               std::is_sorted(probabilities.begin(), probabilities.end());
  for (size_t i = 1; i < outputs.size(); ++i) whole = whole && outputs[i - 1] < outputs[i];
  for (const double each : probabilities) whole = whole && each > 0 && each < 1;
  if (whole) return Status::OK();
  return Fail({.exit = Exit::kInput, .what = "the calibration or the threshold is damaged"});
}

}  // namespace protium
