// SPDX-License-Identifier: Apache-2.0
// The objective of an estimator: how labels become the numbers a net learns, what the net's outputs
// mean, and which columns a prediction adds. It follows from the estimator's options and one pass
// over the training rows, is sent to the workers as JSON and is stored in the model. No LibTorch
// here.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "metrics/decision.h"
#include "metrics/metrics.h"
#include "pipeline/estimator_options.h"
#include "plan/node.h"
#include "statistics/state.h"

namespace protium {

// The net learns (y - mean) / deviation, where y is the label or, with `log1p`, ln(1 + label); a
// prediction is output * deviation + mean, or with `log1p` expm1() of that. Mean 0 and deviation 1:
// not scaled.
struct ScaledLabel {
  std::string column;
  double mean = 0;
  double deviation = 1;
  bool log1p = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("mean", mean);
    visit("deviation", deviation);
    visit("log1p", log1p);
  }
};

// What is learned: enough to read a net's outputs without the training table.
struct Objective {
  TargetKind kind = TargetKind::kValues;
  std::vector<ScaledLabel> labels;  // For classes: exactly one, never scaled.
  bool logarithmic = false;         // For values: the net outputs their logarithm.
  std::vector<double> levels;       // For quantiles, ascending.
  // The classes as text, sorted: whole numbers by value, others by their bytes; a class's position
  // is its index. With two classes the positive one is second.
  std::vector<std::string> classes;
  std::string class_type;             // The label column's type, as column/schema.h names it.
  std::vector<double> class_weights;  // How much a row of each class counts; empty: 1.
  // For classes and flags. Before training only a cut given as a number is known; the rest is
  // fitted on the validation rows afterwards.
  Decision decision;

  // How many numbers a net must output per row: one per label (times levels), one for two classes,
  // else one per class.
  int64_t outputs() const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("labels", labels);
    visit("logarithmic", logarithmic);
    visit("classes", classes);
    visit("class_type", class_type);
    visit("class_weights", class_weights);
    visit("levels", levels);
    visit("decision", decision);
  }
};

// What predictions are compared with, computed from the training rows. For values, a straight line,
// prediction = intercept + slope * column, fitted by least squares, or without a column the mean;
// for quantiles, the quantiles of the labels; for classes, the share of each class; for flags, the
// share of yes.
struct Baseline {
  std::string column;
  double intercept = 0;
  double slope = 0;
  std::vector<double> shares;  // One per class, adding up to 1, or one per flag.
  std::vector<double> values;  // Without a column: one per label, or per label and level.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("intercept", intercept);
    visit("slope", slope);
    visit("shares", shares);
    visit("values", values);
  }
};

// The column with the index of a row's class; -1 for a class that no training row has.
inline constexpr const char* kClassColumn = "__class";

// `label`, or all of `labels`: never empty in complete options.
Columns ListLabels(const EstimatorOptions& options);

// Returns a TypeError for a column type that the estimator cannot learn; its message says what the
// type must be, for use in the caller's fault.
Status CheckLabelType(TargetKind kind, const arrow::DataType& type);

// What a pass over the training rows must find out about the label. Here and below, `loss` is the
// row of options.loss, with the kind that KindOf() returns.
std::vector<Need> LabelNeeds(const EstimatorOptions& options, const LossRow& loss);

// What the estimator learns before its net is trained.
struct Learned {
  Objective objective;
  std::optional<Baseline> baseline;
};
// Takes the states of LabelNeeds(), in its order; `type` is the type of the first label. Fails with
// Exit::kInput for labels that the loss cannot learn (one class, too many, negative counts), and
// with Exit::kUsage for a class in the options that does not occur.
Result<Learned> LearnLabel(const EstimatorOptions& options, const LossRow& loss,
                           std::span<const State> states, const arrow::DataType& type);

// The kind of label that a loss learns with these options: binary_cross_entropy of several labels
// learns flags.
TargetKind KindOf(const EstimatorOptions& options, const LossRow& loss);

// The name of a level in column names: "q10" for 0.1, "q2_5" for 0.025.
std::string LevelName(double level);

// The columns that a prediction of this kind adds, in order; `label` is the type of the first
// label.
arrow::FieldVector PredictedFields(const EstimatorOptions& options, TargetKind kind,
                                   const std::shared_ptr<arrow::DataType>& label);

// Adds the column kClassColumn to `rows`, looked up from the label's text; NULL where the label is
// NULL.
Plan WithClasses(Plan rows, const Objective& objective);

}  // namespace protium
