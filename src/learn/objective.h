// SPDX-License-Identifier: Apache-2.0
// What an estimator learns, as its options and the training rows say: how labels become numbers,
// what the net's outputs mean, which columns a prediction makes. No LibTorch here.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/options.h"
#include "learn/stages/state.h"
#include "metrics/metrics.h"
#include "plan/node.h"

namespace protium {

// (label - mean) / deviation is what the net learns; prediction = output * deviation + mean.
struct ScaledLabel {
  std::string column;
  double mean = 0;
  double deviation = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("mean", mean);
    visit("deviation", deviation);
  }
};

struct Objective {
  TargetKind kind = TargetKind::kValues;
  std::vector<ScaledLabel> labels;  // Of classes: one, never scaled.
  bool logarithmic = false;         // Of values: the net gives their logarithm.
  // As text, in natural order; of two classes the positive one is the second.
  std::vector<std::string> classes;
  std::string class_type;             // Of the label's column, as column/schema.h names it.
  std::vector<double> class_weights;  // How often a row of each class counts; none: once.

  // How many numbers a net must give for a row.
  int64_t outputs() const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("labels", labels);
    visit("logarithmic", logarithmic);
    visit("classes", classes);
    visit("class_type", class_type);
    visit("class_weights", class_weights);
  }
};

// What predictions are compared with: a straight line, prediction = intercept + slope * column,
// fitted by least squares on the training rows; or, of classes, the shares that they had there.
struct Baseline {
  std::string column;
  double intercept = 0;
  double slope = 0;
  std::vector<double> shares;  // One a class.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("intercept", intercept);
    visit("slope", slope);
    visit("shares", shares);
  }
};

// The column that holds the index of a row's class: -1 for one that training rows do not have.
inline constexpr const char* kClassColumn = "__class";

// What a loss learns.
TargetKind KindOfLoss(const std::string& loss);
inline TargetKind KindOf(const TorchEstimatorOptions& options) {
  return KindOfLoss(options.loss.name);
}
// `label`, or all of `labels`.
Columns LabelsOf(const TorchEstimatorOptions& options);

// Fails for a column whose type the estimator cannot learn; `message` gets what it must be.
Status CheckLabelType(TargetKind kind, const arrow::DataType& type);

// What a pass over the training rows must find out.
std::vector<Need> LabelNeeds(const TorchEstimatorOptions& options);

// What the estimator learns before training.
struct Learned {
  Objective objective;
  std::optional<Baseline> baseline;
};
// From the states of LabelNeeds(), in its order; `type` is that of the first label.
Result<Learned> LearnLabel(const TorchEstimatorOptions& options, std::span<const State> states,
                           const arrow::DataType& type);

// The columns that a prediction adds; `label` is the type of the first label.
arrow::FieldVector PredictedFields(const TorchEstimatorOptions& options,
                                   const std::shared_ptr<arrow::DataType>& label);

// `rows` with the column kClassColumn made of `label`: NULL where that is.
Plan WithClasses(Plan rows, const Objective& objective);

}  // namespace protium
