// SPDX-License-Identifier: Apache-2.0
// What a report draws of predictions beside their metrics. A state of bounded size that is the same
// for any order of rows and any number of workers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/exact_sum.h"
#include "base/json.h"
#include "base/status.h"
#include "metrics/metrics.h"
#include "metrics/score_bag.h"

namespace protium {

// Pairs of label and score, of which those with the least hashes are kept: so the sample is random
// as far as the values go, and parts merge to the sample of all rows.
class PairSample {
 public:
  static constexpr size_t kMostPairs = 1000;
  struct Pair {
    double label = 0;
    double score = 0;
    int64_t rows = 0;  // That have it.
  };

  // Pairs that are not finite are left out.
  void Add(double label, double score, int64_t rows = 1);
  Json ToJson() const;
  Status Merge(const Json& json);
  const std::map<uint64_t, Pair>& pairs() const { return pairs_; }  // By hash.

 private:
  std::map<uint64_t, Pair> pairs_;
};

// One thread.
class Diagnostics {
 public:
  static constexpr size_t kMostClasses = 30;  // Of which a confusion matrix is kept.
  static constexpr size_t kMostLabels = 4;    // Of several labels the first ones are looked at.

  explicit Diagnostics(TargetKind kind) : kind_(kind) {}
  // The state that ToJson() gave.
  static Result<Diagnostics> FromJson(const Json& json);

  void Add(const Judged& row);
  Json ToJson() const;
  // Adds a state of the same kind; another one, and damage, is a fault, after which this state is
  // of no use.
  Status Merge(const Json& json);

  // What is drawn, as lists of points; empty without rows. One entry of "labels" a label (one for
  // classes), by kind:
  //   values, quantiles: "predicted_actual": [[predicted, actual], ...], at most 400; "residuals":
  //     {"low", "high", "counts": [...]} of actual minus predicted, those beyond the ends counted
  //     in the last bins; of quantiles predicted is the level in the middle, and "below":
  //     [[level, share of labels below it], ...];
  //   two_classes, flags: "confusion": [[rows by predicted class] by class], "roc": [[false, true
  //     positive rate], ...], "precision_recall": [[recall, precision], ...], at most 200 points
  //     each, "calibration": [[mean probability, share of class 1, weight], ...];
  //   classes: "confusion" of up to kMostClasses classes, and "calibration" of the predicted class.
  Json Drawn() const;

 private:
  // Of one label, whatever its kind.
  struct Label {
    PairSample pairs;
    ScoreBag scores;              // Rounded to few digits, so that there are few different ones.
    std::vector<ExactSum> below;  // Weight of labels at or below each level.
    ExactSum weight;
    std::map<std::pair<int64_t, int64_t>, int64_t> confusion;  // Rows by class and prediction.
  };
  void AddNumber(const Judged& row, size_t label);
  void AddAnswer(double label, double score, const Judged& row, Label& out);
  void AddClass(const Judged& row);
  Label& At(size_t label);
  static Json LabelToJson(const Label& label);
  static Status MergeLabel(const Json& json, int64_t classes, Label& label);
  Json DrawLabel(const Label& label) const;

  TargetKind kind_;
  std::vector<double> levels_;
  int64_t classes_ = 0;  // Of kClasses.
  std::vector<Label> labels_;
};

}  // namespace protium
