// SPDX-License-Identifier: Apache-2.0
// Fits a Decision to rows with known labels. The result is the same to the last bit for any order
// of rows and any number of workers: sums are exact, or run over a sorted bag of scores.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/exact_sum.h"
#include "base/json.h"
#include "base/status.h"
#include "metrics/decision.h"
#include "metrics/metrics.h"
#include "metrics/score_bag.h"

namespace protium {

// Finds the temperature that makes the labels most likely: the zero of the derivative of the log
// loss by 1 / temperature, which is increasing. Makes kRounds passes over the rows; in each, every
// part of the rows adds its own, and the states of all parts are merged.
class TemperatureFit {
 public:
  static constexpr int kRounds = 4;  // To a relative precision of 1e-5.

  // `row` has the scores for temperature 1. `kind` must be classes or flags.
  void Add(const Judged& row, TargetKind kind);
  Json ToJson() const;
  Status Merge(const Json& json);
  // Ends a round; the next one searches a smaller interval, with empty sums.
  void Narrow();
  // From 0.01 to 100; close to one of these if no temperature between them is best.
  double temperature() const;

 private:
  static constexpr size_t kPoints = 32;
  double PointAt(size_t i) const;

  double low_ = -4.605170185988091;  // ln of 1 / temperature.
  double high_ = 4.605170185988091;
  std::array<ExactSum, kPoints> slopes_;
};

// Finds the points of the increasing curve closest to the labels in weighted least squares, by
// pooling adjacent violators; points inside a constant stretch are left out. Probabilities stay at
// least 1 / (n + 2) away from 0 and 1, with n the total weight, since no finite number of rows
// shows certainty. `sorted` must not be empty.
void FitIsotonic(const std::vector<Ranked>& sorted, Decision& decision);

// The metrics that can choose a threshold.
std::vector<std::string> ThresholdMetrics();
// The cut at which `metric`, one of ThresholdMetrics(), is highest; among equal ones the closest to
// 0. It is midway between two neighbouring scores of the bag, or 1 beyond the outermost. 0 without
// rows.
double ChooseCut(const std::vector<Ranked>& sorted, const std::string& metric);

}  // namespace protium
