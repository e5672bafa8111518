// SPDX-License-Identifier: Apache-2.0
// The options of stages and of the estimator. Each is an aggregate with one function Fields(), from
// which reading and writing JSON and TOML, range checks, help pages and the schema of job files all
// follow (protium/fields.h). The names here are those used in job files, in saved models and in
// C++, so renaming a field breaks all three. Implemented by the room stages.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "protium/fields.h"
#include "protium/losses.h"
#include "protium/net_columns.h"
#include "protium/nets.h"
#include "protium/task.h"
#include "protium/training.h"
#include "protium/trees.h"

namespace protium {

struct FieldType;

// One input of a stage: a column by name, or all outputs of an earlier stage, in their order. One
// of the two is empty. JSON: "temp" or {"stage": "fill"}.
struct Input {
  std::string column;
  std::string stage;
};

// Built from column names, OutputsOf() and +: Inputs{"temp", "wind"} + OutputsOf("fill").
struct Inputs : std::vector<Input> {
  Inputs() = default;
  Inputs(std::initializer_list<const char*> columns);
  Inputs(const Columns& columns);  // NOLINT: a list of columns is a list of inputs.
};
Inputs OutputsOf(std::string stage);
Inputs operator+(Inputs a, const Inputs& b);
// Found by protium/fields.h through argument-dependent lookup, wherever a field has this type.
Json ToJson(const Inputs& inputs);
Status FromJson(const Json& json, const std::string& path, Inputs& inputs);
FieldType DescribeType(const Inputs& inputs);

// The help texts of the options that every stage has.
inline constexpr const char* kIdHelp =
    "the name that later stages use for it; unless set, its kind";
inline constexpr const char* kInputsHelp =
    "columns, or { stage = \"id\" } for all of an earlier stage";
inline constexpr const char* kOutputsHelp = "names of the new columns; unless set, <input>__<id>";

// What happens to a value without an index: it gets its own index, becomes NULL, or fails the row.
enum class Unseen { kOwnIndex, kNull, kError };
inline EnumNames<Unseen> Names(Unseen) {
  return {{{Unseen::kOwnIndex, "own_index"}, {Unseen::kNull, "null"}, {Unseen::kError, "error"}}};
}

// Maps text or whole numbers to int64 indices 0, 1, 2, ... by frequency in the training rows, most
// frequent first, ties by value. By default all values never seen in training share the next index
// and NULL gets the one after it, so that an embedding has a row for each. Values in fewer than
// `min_count` rows count as never seen, so that something is learned for those.
struct StringIndexerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;  // Default: <input>__<id>.
  Unseen unseen = Unseen::kOwnIndex;
  Unseen missing = Unseen::kOwnIndex;
  int64_t min_count = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("unseen", unseen, {.help = "what happens to values not seen in training"});
    visit("missing", missing, {.help = "what happens to NULL"});
    visit("min_count", min_count,
          {.help = "values in fewer training rows count as not seen in training", .at_least = 1});
  }
  // Refuses values that `unseen` would refuse in the training rows.
  Status Check(const std::string& path) const;
};

enum class Fill { kMedian, kMean, kMode, kConstant };
inline EnumNames<Fill> Names(Fill) {
  return {{{Fill::kMedian, "median"},
           {Fill::kMean, "mean"},
           {Fill::kMode, "mode"},
           {Fill::kConstant, "constant"}}};
}

// Replaces NULL and NaN. The median is always an element of the data: for an even number of values
// the lower of the middle two. The mode is the most frequent value, the least of several.
struct ImputerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  Fill with = Fill::kMedian;
  double value = 0;  // For kConstant.
  bool indicator = false;
  Columns by;  // Rows with equal values in these are filled alike; empty: all rows are.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("with", with, {.help = "what to fill missing cells with"});
    visit("value", value, {.help = "the number used when with = \"constant\""});
    visit("indicator", indicator,
          {.help = "adds a column <output>__missing per input: 1 where a cell was filled, else 0"});
    visit("by", by,
          {.help = "fills with what rows of the same group have; groups without a value, and those "
                   "not seen in training, with what all rows have"});
  }
  Status Check(const std::string& path) const;
};

// (x - mean) / deviation, with the sample deviation (divisor n - 1). A constant column becomes 0;
// NULL stays NULL.
struct StandardScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
  }
};

// How a label is scaled before the net learns it: not at all, to mean 0 and deviation 1, or its
// ln(1 + x) to mean 0 and deviation 1, for amounts whose relative error matters.
enum class Scale { kNone, kStandard, kLog1p };
inline EnumNames<Scale> Names(Scale) {
  return {{{Scale::kNone, "none"}, {Scale::kStandard, "standard"}, {Scale::kLog1p, "log1p"}}};
}

// What happens to validation rows whose class occurs in no training row: they are ignored, or an
// error.
enum class UnseenClass { kIgnore, kError };
inline EnumNames<UnseenClass> Names(UnseenClass) {
  return {{{UnseenClass::kIgnore, "ignore"}, {UnseenClass::kError, "error"}}};
}

// The probability above which a row counts as positive: a number, or the metric that chooses it on
// the validation rows. JSON: 0.5 or "f1".
struct Threshold {
  double at = 0.5;
  std::string metric;  // Empty: `at` itself.
};
Json ToJson(const Threshold& threshold);
Status FromJson(const Json& json, const std::string& path, Threshold& threshold);
FieldType DescribeType(const Threshold& threshold);

// Passes to `visit` what any kind of estimator reads, learns and predicts.
template <class Options, class Visit>
void VisitLearning(Options& options, Visit& visit) {
  visit("categorical", options.categorical,
        {.help = "columns of indices: from string_indexer, hasher, bucketizer and the like"});
  visit("numeric", options.numeric,
        {.help = "columns of numbers; a net needs them without NULL, trees learn where NULL goes"});
  visit("vectors", options.vectors,
        {.help = "columns of lists of numbers, for nets that read them by name"});
  visit("label", options.label, {.help = "the column to predict: a number or a class"});
  visit("labels", options.labels,
        {.help = "instead of label: several numbers or booleans, learned together"});
  visit("positive", options.positive,
        {.help = "for two classes: the one whose probability is given; unless set, the greater"});
  visit("weight", options.weight,
        {.help = "column that says how much a row counts, 0 or more; unless set, 1"});
  visit("label_scale", options.label_scale,
        {.help = "for numbers: scaling of the label, undone when scoring and for metrics; log1p is "
                 "for amounts above -1; unless set, standard, but none for poisson, tweedie and "
                 "lambdarank"});
  visit("loss", options.loss, {.help = "what training minimises", .rows_of = "losses"});
  visit("prediction", options.prediction,
        {.help = "the column that scoring adds", .filled = "a name"});
  visit("probability", options.probability,
        {.help = "for classes: the column of the probability", .filled = "a name"});
  visit("probabilities", options.probabilities,
        {.help = "for classes: a column of lists with the probability of each; unless set, none"});
  visit("unseen_class", options.unseen_class,
        {.help = "what happens to validation rows whose class no training row has"});
  visit("threshold", options.threshold,
        {.help = "for two classes: the probability above which a row counts as positive, or the "
                 "metric that chooses it on the validation rows: f1, accuracy, "
                 "balanced_accuracy"});
  visit("calibration", options.calibration,
        {.help = "for classes: how probabilities are fitted to the validation rows"});
}

// Trains a net with a gang of workers and adds its predictions as columns. For values:
// `prediction`, or `prediction`_<label> for each of several labels; quantiles add their level, as
// in `prediction`_q10. For classes: the class as `prediction`, in the label's type, and its
// `probability` (with two classes, that of the positive one). For flags: a boolean
// `prediction`_<label> and a `probability`_<label> for each label.
struct TorchEstimatorOptions {
  std::string id;
  Choice net = TabularMlp();
  Inputs categorical;
  Inputs numeric;
  std::vector<VectorColumn> vectors;
  std::string label;
  Columns labels;        // Instead of `label`: several values or flags, learned together.
  std::string positive;  // One of two classes; empty: the greater one.
  std::string weight;    // A column of row weights; empty: every row counts 1.
  // Unset: standard for values and quantiles, but none for poisson and tweedie. Classes, flags and
  // relevance are never scaled.
  std::optional<Scale> label_scale;
  Choice loss = MeanSquaredError();
  std::string prediction = "prediction";
  std::string probability = "probability";
  std::string probabilities;  // A list column of all classes' probabilities, in order; empty: none.
  UnseenClass unseen_class = UnseenClass::kIgnore;
  Threshold threshold;  // For two classes and flags; a metric only for two classes.
  Calibration calibration = Calibration::kNone;
  TrainOptions train;
  GangSpec gang;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("net", net, {.help = "the net to train", .rows_of = "nets"});
    VisitLearning(*this, visit);
    visit("train", train, {.help = "how to train it"});
    visit("gang", gang, {.help = "the workers that train it"});
  }
};

// Grows a forest of boosted trees with a gang of workers and adds its predictions as columns. The
// members mean what they mean in TorchEstimatorOptions. Numbers may be NULL, NaN or infinite and
// need no scale; a category that is NULL is missing, too.
struct TreeEstimatorOptions {
  std::string id;
  TreeOptions trees;
  Inputs categorical;
  Inputs numeric;
  std::vector<VectorColumn> vectors;  // Refused: trees read columns of numbers (vector_columns).
  std::string label;
  Columns labels;
  std::string positive;
  std::string weight;
  std::string group;  // For lambdarank: a column whose equal values are one group, as a query.
  std::optional<Scale> label_scale;
  Choice loss = MeanSquaredError();
  std::string prediction = "prediction";
  std::string probability = "probability";
  std::string probabilities;
  UnseenClass unseen_class = UnseenClass::kIgnore;
  Threshold threshold;
  Calibration calibration = Calibration::kNone;
  TreeTrainOptions train;
  GangSpec gang;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("trees", trees, {.help = "the trees to grow"});
    VisitLearning(*this, visit);
    visit("group", group,
          {.help = "for lambdarank: the column whose equal values are one group, such as a query; "
                   "rows are ranked within it"});
    visit("train", train, {.help = "how to train them"});
    visit("gang", gang, {.help = "the workers that train them"});
  }
};

}  // namespace protium
