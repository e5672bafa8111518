// SPDX-License-Identifier: Apache-2.0
// The metrics in the table of metrics.cc, by file: of_values (errors of numbers), of_quantiles,
// of_classes (shares of correct predictions, log loss), of_ranking (the order of rows by score),
// of_groups (the order within groups), of_series (against a seasonal forecast) and of_labels
// (several yes-or-no labels). Each is made for one kind of target and starts without rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/exact_sum.h"
#include "metrics/metrics.h"

namespace protium {

// Weighted means over rows; rows of several labels count once per label.
std::unique_ptr<Metric> MakeRmse(TargetKind);
std::unique_ptr<Metric> MakeMse(TargetKind);
std::unique_ptr<Metric> MakeMae(TargetKind);
std::unique_ptr<Metric> MakeBias(TargetKind);
std::unique_ptr<Metric> MakeMape(TargetKind);
std::unique_ptr<Metric> MakeSmape(TargetKind);
std::unique_ptr<Metric> MakeRmspe(TargetKind);
std::unique_ptr<Metric> MakeExpRmspe(TargetKind);
std::unique_ptr<Metric> MakeR2(TargetKind);

// For quantiles.
std::unique_ptr<Metric> MakePinball(TargetKind);
std::unique_ptr<Metric> MakeCoverage(TargetKind);

std::unique_ptr<Metric> MakeLogLoss(TargetKind kind);
std::unique_ptr<Metric> MakeBrier(TargetKind kind);
std::unique_ptr<Metric> MakeAccuracy(TargetKind kind);
std::unique_ptr<Metric> MakeBalancedAccuracy(TargetKind kind);
std::unique_ptr<Metric> MakeF1(TargetKind kind);
std::unique_ptr<Metric> MakePrecision(TargetKind kind);
std::unique_ptr<Metric> MakeRecall(TargetKind kind);
// For many classes: whether the row's class is among the `best` most likely.
std::unique_ptr<Metric> MakeTop(int64_t best);

std::unique_ptr<Metric> MakeAuc(TargetKind);
std::unique_ptr<Metric> MakePrAuc(TargetKind);

// For relevance: the order of the first `best` rows of each group.
std::unique_ptr<Metric> MakeNdcg(int64_t best);

// For numbers of series with a season of so many rows: rows need Judged::scales.
std::unique_ptr<Metric> MakeMase(int64_t season);

// For flags: a metric of two classes for each label. The value is the mean of theirs, without NaN.
using MakeMetric = std::function<std::unique_ptr<Metric>(TargetKind kind)>;
std::unique_ptr<Metric> MakeOfEachLabel(const MakeMetric& make);

// A weighted mean: `add` adds a row's term to `sum` and returns the row's weight; `finish` turns
// the mean into the metric.
struct MeanTerms {
  double (*add)(const Judged& row, TargetKind kind, ExactSum& sum);
  double (*finish)(double mean) = nullptr;  // nullptr: the mean itself.
};
std::unique_ptr<Metric> MakeMean(const MeanTerms& terms, TargetKind kind);
// The same with a function that has a state of its own.
std::unique_ptr<Metric> MakeMeanWith(std::function<double(const Judged& row, ExactSum& sum)> add);

// Adds the sum in `json`, as ExactSum::ToJson() wrote it. Fails if there is none.
Status MergeSum(const Json& json, ExactSum& into);

}  // namespace protium
