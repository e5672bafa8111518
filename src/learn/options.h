// SPDX-License-Identifier: Apache-2.0
// What a user may set on every stage and built-in net. Names here are the names in job files, in
// saved pipelines and in C++.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "plan/node.h"

namespace protium {

struct FieldType;

// One input of a stage: a column by name, or all outputs of an earlier stage, in their order.
// JSON: "temp" or {"stage": "fill"}.
struct Input {
  std::string column;
  std::string stage;
};

struct Inputs : std::vector<Input> {
  Inputs() = default;
  Inputs(std::initializer_list<const char*> columns);
  Inputs(const Columns& columns);  // NOLINT: a list of columns is a list of inputs.
};
Inputs OutputsOf(std::string stage);
Inputs operator+(Inputs a, const Inputs& b);
Json ToJson(const Inputs& inputs);
Status FromJson(const Json& json, const std::string& path, Inputs& inputs);

FieldType DescribeType(const Inputs& inputs);

// What every stage says of these.
inline constexpr const char* kIdHelp = "how later stages call it; unless set, its kind";
inline constexpr const char* kInputsHelp =
    "columns, or { stage = \"id\" } for all of an earlier stage";
inline constexpr const char* kOutputsHelp = "names of the columns made; unless set, <input>__<id>";

enum class Unseen { kOwnIndex, kNull, kError };
inline EnumNames<Unseen> Names(Unseen) {
  return {{{Unseen::kOwnIndex, "own_index"}, {Unseen::kNull, "null"}, {Unseen::kError, "error"}}};
}

// Text or whole numbers become 0, 1, 2, ... by frequency (most frequent first), then value. Values
// never seen get an index of their own, the last but one; NULL gets the last.
struct StringIndexerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;  // Default: <input>__<id>.
  Unseen unseen = Unseen::kOwnIndex;
  Unseen missing = Unseen::kOwnIndex;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("unseen", unseen, {.help = "what becomes of values that training never saw"});
    visit("missing", missing, {.help = "what becomes of NULL"});
  }
};

enum class Fill { kMedian, kMean, kConstant };
inline EnumNames<Fill> Names(Fill) {
  return {{{Fill::kMedian, "median"}, {Fill::kMean, "mean"}, {Fill::kConstant, "constant"}}};
}

// Replaces NULL and NaN. The median is an element of the data, the lower one.
struct ImputerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  Fill with = Fill::kMedian;
  double value = 0;  // For kConstant.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("with", with, {.help = "what missing cells are filled with"});
    visit("value", value, {.help = "what fills them where with = \"constant\""});
  }
};

// (x - mean) / deviation, with the deviation of n - 1; a constant column becomes 0.
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

// Something chosen by name with options of its own: a net, a loss, an optimiser.
// JSON: {"name": "huber", "delta": 1.0}, or just "huber"; without a name, options over those of the
// one that is there already.
struct Named {
  std::string name;
  Json options = Json::object();
};
Json ToJson(const Named& named);
Status FromJson(const Json& json, const std::string& path, Named& named);
FieldType DescribeType(const Named& named);

// An embedding per categorical column (of min(50, (n + 1) / 2) unless set), joined with the numeric
// columns, dense layers with ReLU and dropout between, then the outputs.
struct TabularMlpOptions {
  std::vector<int32_t> hidden = {128, 64};
  double dropout = 0;
  std::optional<int32_t> embedding;
  bool batch_norm = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("hidden", hidden,
          {.help = "neurons of each layer between", .at_least = 1, .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of hidden values left out while training", .at_least = 0, .below = 1});
    visit("embedding", embedding,
          {.help = "width of every embedding; unless set, min(50, (n + 1) / 2) for n values",
           .at_least = 1});
    visit("batch_norm", batch_norm, {.help = "normalise what the layers between give by batch"});
  }
};
Named TabularMlp(const TabularMlpOptions& options = {});
// A weight per numeric column and one per category and output: the linear or logistic model.
Named Linear();

// A file that torch.jit.save wrote, with its parameters as they are there.
struct TorchScriptOptions {
  std::string file;                               // A path; relative to the job file's folder.
  std::vector<std::string> inputs = {"numeric"};  // Fields that its forward takes, in this order.
  std::string sha256;                             // Of the file; found out when it is read.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file,
          {.help = "a path; relative to the job file's folder", .filled = "the path of a file"});
    visit("inputs", inputs, {.help = "fields that its forward takes, in this order"});
    visit("sha256", sha256, {.help = "of the file; found out when it is read"});
  }
};
Named TorchScript(const TorchScriptOptions& options);

struct HuberOptions {
  double delta = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("delta", delta,
          {.help = "errors up to here count squared, larger ones linearly", .above = 0});
  }
};
Named Huber(const HuberOptions& options = {});
Named MeanSquaredError();
Named MeanAbsoluteError();
Named Poisson();  // Of counts and amounts from 0 on; the net learns the logarithm.

// Of a label with two values. Rows of the positive one count `positive_weight` times.
struct BinaryCrossEntropyOptions {
  double positive_weight = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("positive_weight", positive_weight,
          {.help = "how often a row of the positive class counts", .above = 0});
  }
};
Named BinaryCrossEntropy(const BinaryCrossEntropyOptions& options = {});

// Of a label with any number of classes.
struct CrossEntropyOptions {
  // "none"; "balanced": each class counts as much as any other; or {"rare": 5.0}: the rows of these
  // classes count so often, all others once.
  Json class_weights = "none";
  double label_smoothing = 0;  // Of what is meant, this share goes to all classes alike.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("class_weights", class_weights,
          {.help = "\"none\", \"balanced\", or a table such as { rare = 5.0 }"});
    visit("label_smoothing", label_smoothing,
          {.help = "share of what is meant that goes to all classes alike",
           .at_least = 0,
           .below = 1});
  }
};
Named CrossEntropy(const CrossEntropyOptions& options = {});

struct AdamOptions {
  double learning_rate = 1e-3;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "length of a step", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
    visit("beta1", beta1,
          {.help = "how slowly the mean of gradients forgets", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "how slowly the mean of their squares forgets", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "keeps a division from 0", .above = 0});
  }
};
Named Adam(const AdamOptions& options = {});

struct SgdOptions {
  double learning_rate = 1e-2;
  double momentum = 0;
  double weight_decay = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "length of a step", .above = 0});
    visit("momentum", momentum,
          {.help = "how much of the step before goes into the next", .at_least = 0, .below = 1});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
  }
};
Named Sgd(const SgdOptions& options = {});

// Rows set aside while training, to choose the best epoch; rows that agree in `by` stay together.
struct ValidationOptions {
  double share = 0;  // 0: none.
  Columns by;        // Empty: all columns of the table.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("share", share,
          {.help = "expected share of the rows held out; 0: none", .at_least = 0, .below = 1});
    visit("by", by, {.help = "rows that agree in these stay together; unless set, all columns"});
  }
};

struct CheckpointOptions {
  int64_t every_steps = 0;  // 0: only every epoch and by the clock.
  double every_seconds = 30;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every_steps", every_steps,
          {.help = "0: only every epoch and by the clock", .unit = "steps", .at_least = 0});
    visit("every_seconds", every_seconds,
          {.help = "0: not by the clock", .unit = "seconds", .at_least = 0});
  }
};

struct TrainOptions {
  int64_t epochs = 10;
  int64_t batch_size = 512;  // Rows of one step, over all workers.
  int32_t shards = 4;        // Fixes the result: 1 to `shards` workers give the same weights.
  Named optimizer = Adam();
  ValidationOptions validation;
  // Unless given: rmse and mae of values; log_loss, auc and accuracy of two classes; log_loss and
  // accuracy of many.
  std::vector<std::string> metrics;
  std::string best;  // The metric on the validation rows that chooses the epoch; empty: the first.
  int32_t keep = 3;  // Checkpoints kept, besides the best.
  std::string baseline;  // A straight line in this column, for comparison; empty: none.
  int64_t seed = 0;
  double clip_norm = 0;  // 0: no clipping.
  int32_t threads_per_shard = 1;
  CheckpointOptions checkpoint;
  template <class Visit>
  void Fields(Visit& visit) {
    visit(
        "epochs", epochs,
        {.help = "how often training goes over the rows", .at_least = 1, .decides_weights = false});
    visit("batch_size", batch_size,
          {.help = "rows of one step, over all workers", .unit = "rows", .at_least = 1});
    // Checkpoints keep the number of shards by itself.
    visit("shards", shards,
          {.help = "parts of every batch; 1 to `shards` workers give the same weights",
           .at_least = 1,
           .decides_weights = false});
    visit("optimizer", optimizer, {.help = "how weights change", .rows_of = "optimizers"});
    // Which rows are held out is told by the rows themselves.
    visit("validation", validation,
          {.help = "rows set aside while training, to choose the best epoch",
           .decides_weights = false});
    visit("metrics", metrics,
          {.help = "what is measured on validation and test rows; unless set, as the loss suits",
           .rows_of = "metrics",
           .decides_weights = false});
    visit("best", best,
          {.help = "the metric on the validation rows that chooses the epoch kept; unless set, the "
                   "first",
           .rows_of = "metrics"});
    visit("keep", keep,
          {.help = "checkpoints kept, besides the best", .at_least = 1, .decides_weights = false});
    visit("baseline", baseline,
          {.help = "a straight line in this column, for comparison; empty: none",
           .decides_weights = false});
    visit("seed", seed, {.help = "of weights, order and dropout"});
    visit("clip_norm", clip_norm,
          {.help = "longest gradient; longer ones are shortened; 0: no limit", .at_least = 0});
    visit("threads_per_shard", threads_per_shard,
          {.help = "threads that compute one shard", .at_least = 1, .decides_weights = false});
    visit("checkpoint", checkpoint, {.help = "when training is saved", .decides_weights = false});
  }
};

enum class Scale { kNone, kStandard };
inline EnumNames<Scale> Names(Scale) {
  return {{{Scale::kNone, "none"}, {Scale::kStandard, "standard"}}};
}

// What becomes of validation rows whose class no training row has.
enum class UnseenClass { kIgnore, kError };
inline EnumNames<UnseenClass> Names(UnseenClass) {
  return {{{UnseenClass::kIgnore, "ignore"}, {UnseenClass::kError, "error"}}};
}

// A column of lists of numbers, which are one field of a row; read by nets of one's own.
struct VectorColumn {
  std::string column;
  int64_t length = 0;  // Of every list; 0: as the column's type says.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column, {.help = "of lists of numbers", .filled = "the name of a column"});
    visit("length", length, {.help = "of every list; 0: as the column's type says", .at_least = 0});
  }
};

// Trains a net by a gang of workers and adds what it predicts: of values the column `prediction`
// (of several labels `prediction`_<label> each); of classes the class itself as `prediction`, and
// its `probability` (of two classes that of the positive one).
struct TorchEstimatorOptions {
  std::string id;
  Named net = TabularMlp();
  Inputs categorical;
  Inputs numeric;
  std::vector<VectorColumn> vectors;
  std::string label;
  Columns labels;        // Instead of `label`: several values, learned together.
  std::string positive;  // Of two classes; empty: the greater one.
  std::string weight;    // Empty: every row counts 1.
  // Unless set: standard for values, but none for poisson. Classes have none.
  std::optional<Scale> label_scale;
  Named loss = MeanSquaredError();
  std::string prediction = "prediction";
  std::string probability = "probability";
  std::string probabilities;  // A list of those of all classes, in the model's order; empty: none.
  UnseenClass unseen_class = UnseenClass::kIgnore;
  TrainOptions train;
  GangSpec gang;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("net", net, {.help = "what is trained", .rows_of = "nets"});
    visit("categorical", categorical, {.help = "indices that a string_indexer made"});
    visit("numeric", numeric, {.help = "numbers; without NULL"});
    visit("vectors", vectors,
          {.help = "columns of lists of numbers, for nets that read them by their names"});
    visit("label", label, {.help = "the column to be predicted: a number, or a class"});
    visit("labels", labels, {.help = "instead of label: several numbers, learned together"});
    visit("positive", positive,
          {.help = "of two classes, the one whose probability is told; unless set, the greater"});
    visit("weight", weight, {.help = "how much a row counts; unless set, 1"});
    visit("label_scale", label_scale,
          {.help = "of numbers: kept in the model, undone when scoring; unless set, standard, but "
                   "none for poisson"});
    visit("loss", loss, {.help = "what training makes small", .rows_of = "losses"});
    visit("prediction", prediction, {.help = "the column that scoring adds", .filled = "a name"});
    visit("probability", probability,
          {.help = "of classes: the column of the probability", .filled = "a name"});
    visit("probabilities", probabilities,
          {.help = "of classes: a column of lists with the probability of each; unless set, none"});
    visit("unseen_class", unseen_class,
          {.help = "what becomes of validation rows whose class no training row has"});
    visit("train", train, {.help = "how it is trained"});
    visit("gang", gang, {.help = "who trains it"});
  }
};

}  // namespace protium
