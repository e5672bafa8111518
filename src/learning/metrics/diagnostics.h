// SPDX-License-Identifier: Apache-2.0
// The data that a report plots about predictions besides their metrics. A state of bounded size
// that is the same for any order of rows and any number of workers.
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

// Pairs of label and score, of which those with the smallest hashes are retained: the sample does
// not depend on the values, and samples of parts merge to the sample of all rows.
class PairSample {
 public:
  static constexpr size_t kMostPairs = 1000;
  struct Pair {
    double label = 0;
    double score = 0;
    int64_t rows = 0;  // Rows with this pair.
  };

  // Ignores pairs that are not finite.
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
  static constexpr size_t kMostClasses = 30;  // With more there is no confusion matrix.
  static constexpr size_t kMostLabels = 4;    // Only the first labels are used.

  explicit Diagnostics(TargetKind kind) : kind_(kind) {}
  // Reads a state that ToJson() wrote.
  static Result<Diagnostics> FromJson(const Json& json);

  void Add(const Judged& row);
  Json ToJson() const;
  // Adds a state of the same kind. Fails for another kind and for damage; this state must then not
  // be used.
  Status Merge(const Json& json);

  // What is plotted, as lists of points; empty without rows. "labels" has one entry per label (one
  // for classes), by kind:
  //   values, quantiles: "predicted_actual": [[predicted, actual], ...], at most 400; "residuals":
  //     {"low", "high", "counts": [...]} of actual minus predicted, with values beyond the ends in
  //     the outermost bins; for quantiles, predicted is the middle level, and there is "below":
  //     [[level, share of labels below it], ...];
  //   relevance: "predicted_actual";
  //   two_classes, flags: "confusion": [[rows by predicted class] by class], "roc": [[false, true
  //     positive rate], ...], "precision_recall": [[recall, precision], ...], at most 200 points
  //     each, "calibration": [[mean probability, share of class 1, weight], ...];
  //   classes: "confusion" of up to kMostClasses classes, and "calibration" of the predicted class.
  Json Drawn() const;

 private:
  // The state of one label, whatever its kind.
  struct Label {
    PairSample pairs;
    ScoreBag scores;              // Rounded to few digits, so that few scores are distinct.
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
  int64_t classes_ = 0;  // For kClasses.
  std::vector<Label> labels_;
};

}  // namespace protium
