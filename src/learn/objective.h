// SPDX-License-Identifier: Apache-2.0
// The objective of an estimator: how labels become the numbers a net learns, what the net's outputs
// mean, and which columns a prediction adds. It follows from the estimator's options and one pass
// over the training rows, travels to the workers as JSON and is kept in the model. No LibTorch
// here.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/catalogue.h"
#include "learn/options.h"
#include "learn/stages/state.h"
#include "metrics/metrics.h"
#include "plan/node.h"

namespace protium {

// The net learns (label - mean) / deviation; a prediction is output * deviation + mean. 0 and 1 for
// a label that is not scaled.
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

// What is learned, complete enough to read a net's outputs without the training table.
struct Objective {
  TargetKind kind = TargetKind::kValues;
  std::vector<ScaledLabel> labels;  // For classes: exactly one, never scaled.
  bool logarithmic = false;         // For values: the net outputs their logarithm.
  // The classes as text, whole numbers by value and others by their bytes; a class's position is
  // its index. With two classes the positive one is second.
  std::vector<std::string> classes;
  std::string class_type;             // The label column's type, as column/schema.h names it.
  std::vector<double> class_weights;  // How often a row of each class counts; empty: once.

  // How many numbers a net must output per row: one per label, one for two classes, else one per
  // class.
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

// What predictions are compared with. For values a straight line, prediction = intercept + slope *
// column, fitted by least squares on the training rows; for classes, the share of each class there.
struct Baseline {
  std::string column;
  double intercept = 0;
  double slope = 0;
  std::vector<double> shares;  // One per class, adding up to 1.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("intercept", intercept);
    visit("slope", slope);
    visit("shares", shares);
  }
};

// The column with the index of a row's class; -1 for a class that no training row has.
inline constexpr const char* kClassColumn = "__class";

// `label`, or all of `labels`: never empty in complete options.
Columns ListLabels(const TorchEstimatorOptions& options);

// A TypeError for a column type that the estimator cannot learn; its message says what the type
// must be, for the caller's fault.
Status CheckLabelType(TargetKind kind, const arrow::DataType& type);

// What a pass over the training rows must find out about the label. `loss` is the row of
// options.loss, here and below.
std::vector<Need> LabelNeeds(const TorchEstimatorOptions& options, const LossRow& loss);

// What the estimator learns before its net is trained.
struct Learned {
  Objective objective;
  std::optional<Baseline> baseline;
};
// Takes the states of LabelNeeds(), in its order; `type` is that of the first label. Fails with
// Exit::kInput for labels that the loss cannot learn (one class, too many, negative counts), and
// with Exit::kUsage for a class in the options that does not occur.
Result<Learned> LearnLabel(const TorchEstimatorOptions& options, const LossRow& loss,
                           std::span<const State> states, const arrow::DataType& type);

// The columns that a prediction of this kind adds, in order; `label` is the type of the first
// label.
arrow::FieldVector PredictedFields(const TorchEstimatorOptions& options, TargetKind kind,
                                   const std::shared_ptr<arrow::DataType>& label);

// `rows` plus the column kClassColumn, looked up from the label's text; NULL where the label is.
Plan WithClasses(Plan rows, const Objective& objective);

}  // namespace protium
