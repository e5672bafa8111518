// SPDX-License-Identifier: Apache-2.0
// The options of stages and of the estimator; those of nets, losses, optimizers and training are in
// the room recipe. Each is an aggregate with one function Fields(), from which reading and writing
// JSON and TOML, range checks, help pages and the schema of job files all follow (base/fields.h).
// The names here are the ones in job files, in saved models and in C++, so renaming a field breaks
// all three. Public API.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "plan/node.h"
#include "recipe/losses.h"
#include "recipe/nets.h"
#include "recipe/training.h"

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
// Found by base/fields.h through argument-dependent lookup, wherever a field has this type.
Json ToJson(const Inputs& inputs);
Status FromJson(const Json& json, const std::string& path, Inputs& inputs);
FieldType DescribeType(const Inputs& inputs);

// The help texts of the options that every stage has.
inline constexpr const char* kIdHelp =
    "the name that later stages use for it; unless set, its kind";
inline constexpr const char* kInputsHelp =
    "columns, or { stage = \"id\" } for all of an earlier stage";
inline constexpr const char* kOutputsHelp = "names of the new columns; unless set, <input>__<id>";

// What becomes of a value without an index: it gets one of its own, NULL, or the row fails.
enum class Unseen { kOwnIndex, kNull, kError };
inline EnumNames<Unseen> Names(Unseen) {
  return {{{Unseen::kOwnIndex, "own_index"}, {Unseen::kNull, "null"}, {Unseen::kError, "error"}}};
}

// Maps text or whole numbers to int64 indices 0, 1, 2, ... by frequency in the training rows, most
// frequent first, ties by value. By default all values never seen in training share the next index
// and NULL gets the one after it, so that an embedding has a row for either.
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
    visit("unseen", unseen, {.help = "what happens to values not seen in training"});
    visit("missing", missing, {.help = "what happens to NULL"});
  }
};

enum class Fill { kMedian, kMean, kMode, kConstant };
inline EnumNames<Fill> Names(Fill) {
  return {{{Fill::kMedian, "median"},
           {Fill::kMean, "mean"},
           {Fill::kMode, "mode"},
           {Fill::kConstant, "constant"}}};
}

// Replaces NULL and NaN. The median is always an element of the data: of an even number of values
// the lower of the two in the middle. The mode is the most frequent value, the least of several.
struct ImputerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  Fill with = Fill::kMedian;
  double value = 0;  // For kConstant.
  bool indicator = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("with", with, {.help = "what to fill missing cells with"});
    visit("value", value, {.help = "the number used when with = \"constant\""});
    visit("indicator", indicator,
          {.help = "adds a column <output>__missing per input: 1 where a cell was filled, else 0"});
  }
};

// (x - mean) / deviation, with the sample deviation (divisor n - 1). A constant column becomes 0,
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

// 
<<<<<<< /tmp/tmpsy3c874r/o
Something chosen by name with options of its own
    : a net,
      a loss,
      an optimizer.
      // JSON: {"name": "huber", "delta": 1.0}, or just "huber". A table without a name changes
      // options of the choice that is already there, as --set loss.delta=2 does.
      struct Choice {
  std::string name;
  Json options = Json::object();
};
Json ToJson(const Choice& choice);
Status FromJson(const Json& json, const std::string& path, Choice& choice);
FieldType DescribeType(const Choice& choice);

// An embedding per categorical column (of width min(50, (n + 1) / 2) for n values unless set),
// concatenated with the numeric columns; hidden dense layers with ReLU and dropout; then the
// outputs.
struct TabularMlpOptions {
  std::vector<int32_t> hidden = {128, 64};
  double dropout = 0;
  std::optional<int32_t> embedding;
  bool batch_norm = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("hidden", hidden,
          {.help = "neurons in each hidden layer", .at_least = 1, .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of hidden values dropped during training", .at_least = 0, .below = 1});
    visit("embedding", embedding,
          {.help = "width of every embedding; unless set, min(50, (n + 1) / 2) for n values",
           .at_least = 1});
    visit("batch_norm", batch_norm,
          {.help = "normalises the values of hidden layers over each batch"});
  }
};
Choice TabularMlp(const TabularMlpOptions& options = {});
// One weight per output for each numeric column and each category: the linear or logistic model.
Choice Linear();

// A TorchScript file, as torch.jit.save writes it. Training starts from the parameters in the file.
struct TorchScriptOptions {
  std::string file;                               // A path; relative to the job file's folder.
  std::vector<std::string> inputs = {"numeric"};  // Arguments of its forward, in this order.
  std::string sha256;                             // Of the file; filled in when it is read.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file,
          {.help = "path of the file, relative to the job file's folder",
           .filled = "the path of a file"});
    visit("inputs", inputs, {.help = "fields that its forward takes, in this order"});
    visit("sha256", sha256, {.help = "of the file; computed when it is read"});
  }
};
Choice TorchScript(const TorchScriptOptions& options);

// Squared error up to `delta`, linear beyond it, so that outliers pull less. In units of what the
// net learns: of the scaled label where the label is scaled.
struct HuberOptions {
  double delta = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("delta", delta,
          {.help = "errors up to this size count squared, larger ones linearly", .above = 0});
  }
};
Choice Huber(const HuberOptions& options = {});
Choice MeanSquaredError();
Choice MeanAbsoluteError();
Choice Poisson();  // For counts and amounts >= 0; the net outputs the logarithm of the mean.

// For a label with two values. Rows of the positive one count `positive_weight` times.
struct BinaryCrossEntropyOptions {
  double positive_weight = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("positive_weight", positive_weight,
          {.help = "weight of a row of the positive class", .above = 0});
  }
};
Choice BinaryCrossEntropy(const BinaryCrossEntropyOptions& options = {});

// For a label with any number of classes; softmax over one output per class.
struct CrossEntropyOptions {
  // "none"; "balanced": all classes weigh the same in total; or a table such as {"rare": 5.0}: the
  // rows of the classes listed count that often, all others once.
  Json class_weights = "none";
  double label_smoothing = 0;  // This share of the target goes to all classes equally.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("class_weights", class_weights,
          {.help = "\"none\", \"balanced\", or a table such as { rare = 5.0 }"});
    visit("label_smoothing", label_smoothing,
          {.help = "share of the target that is spread evenly over all classes",
           .at_least = 0,
           .below = 1});
  }
};
Choice CrossEntropy(const CrossEntropyOptions& options = {});

// Adam (Kingma and Ba, 2015). `weight_decay` is added to the gradient, as in the original paper's
// L2 form and torch.optim.Adam; this is not AdamW.
struct AdamOptions {
  double learning_rate = 1e-3;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
    visit("beta1", beta1,
          {.help = "decay of the running mean of gradients", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "decay of the running mean of their squares", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Adam(const AdamOptions& options = {});

// Stochastic gradient descent, with momentum and weight decay as in torch.optim.SGD: the learning
// rate scales the velocity, and decay is added to the gradient.
struct SgdOptions {
  double learning_rate = 1e-2;
  double momentum = 0;
  double weight_decay = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("momentum", momentum,
          {.help = "share of the previous step that is added to the next",
           .at_least = 0,
           .below = 1});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
  }
};
Choice Sgd(const SgdOptions& options = {});

// Training rows held out to choose the best epoch; rows that agree in `by` stay together. They are
// chosen by a hash, as the test side of a split is.
struct ValidationOptions {
  double share = 0;  // 0: none.
  Columns by;        // Empty: all columns of the table.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("share", share,
          {.help = "expected share of the rows held out; 0: none", .at_least = 0, .below = 1});
    visit("by", by,
          {.help = "rows with equal values in these stay together; unless set, all columns"});
  }
};

// When a checkpoint is written besides the one at the end of every epoch. Each of the two is off
// at 0.
struct CheckpointOptions {
  int64_t every_steps = 0;
  double every_seconds = 30;  // At the first step after so long.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every_steps", every_steps,
          {.help = "steps between checkpoints; 0: only after each epoch and by time",
           .unit = "steps",
           .at_least = 0});
    visit(
        "every_seconds", every_seconds,
        {.help = "seconds between checkpoints; 0: not by time", .unit = "seconds", .at_least = 0});
  }
};

// How the net is trained. The weights follow from the rows, `shards`, `batch_size`, `seed`, the
// net, the loss, the optimizer and the clipping; never from the number of workers.
struct TrainOptions {
  int64_t epochs = 10;
  int64_t batch_size = 512;  // Rows of one step, over all workers together.
  int32_t shards = 4;        // Parts of every batch, and the most workers that can share it.
  Choice optimizer = Adam();
  ValidationOptions validation;
  // Unless set: rmse and mae for values; log_loss, auc and accuracy for two classes; log_loss and
  // accuracy for many.
  std::vector<std::string> metrics;
  std::string best;      // The validation metric that chooses the epoch; empty: the first.
  int32_t keep = 3;      // Newest checkpoints kept, besides the best weights.
  std::string baseline;  // Compare with a straight line in this column; empty: don't.
  int64_t seed = 0;
  double clip_norm = 0;  // Largest L2 norm of the gradient of a step; 0: no clipping.
  int32_t threads_per_shard = 1;
  CheckpointOptions checkpoint;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epochs", epochs,
          {.help = "passes over the training rows", .at_least = 1, .decides_weights = false});
    visit("batch_size", batch_size,
          {.help = "rows per step, over all workers", .unit = "rows", .at_least = 1});
    // Not because it leaves the weights alone, but because checkpoints compare it by themselves.
    visit("shards", shards,
          {.help = "parts of every batch; 1 to `shards` workers give the same weights",
           .at_least = 1,
           .decides_weights = false});
    visit("optimizer", optimizer, {.help = "how weights are updated", .rows_of = "optimizers"});
    // Holding out other rows changes the training set, which resuming compares by its keys.
    visit("validation", validation,
          {.help = "rows set aside while training, to choose the best epoch",
           .decides_weights = false});
    visit("metrics", metrics,
          {.help = "what is measured on validation and test rows; unless set, what suits the loss",
           .rows_of = "metrics",
           .decides_weights = false});
    visit(
        "best", best,
        {.help = "the metric on validation rows that decides which epoch is kept; unless set, the "
                 "first",
         .rows_of = "metrics"});
    visit("keep", keep,
          {.help = "checkpoints kept, besides the best", .at_least = 1, .decides_weights = false});
    visit("baseline", baseline,
          {.help = "column of a straight-line fit to compare with; empty: none",
           .decides_weights = false});
    visit("seed", seed, {.help = "seed of initial weights, order of rows and dropout"});
    visit("clip_norm", clip_norm,
          {.help = "largest norm of a gradient; larger ones are scaled down; 0: no limit",
           .at_least = 0});
    visit("threads_per_shard", threads_per_shard,
          {.help = "threads that compute one shard", .at_least = 1, .decides_weights = false});
    visit("checkpoint", checkpoint,
          {.help = "when checkpoints are saved", .decides_weights = false});
  }
};

// 
=======

>>>>>>> /tmp/tmpsy3c874r/t
How a label is scaled before the net learns it : not at all,
                                                 or to mean 0 and deviation 1. enum class Scale {
                                                      kNone,
                                                      kStandard
                                                    };
inline EnumNames<Scale> Names(Scale) {
  return {{{Scale::kNone, "none"}, {Scale::kStandard, "standard"}}};
}

// What becomes of validation rows whose class occurs in no training row: left out, or an error.
enum class UnseenClass { kIgnore, kError };
inline EnumNames<UnseenClass> Names(UnseenClass) {
  return {{{UnseenClass::kIgnore, "ignore"}, {UnseenClass::kError, "error"}}};
}

// A column of lists of numbers, such as an embedding computed elsewhere. It is one field of a row,
// under the column's name, for nets that read it by that name.
struct VectorColumn {
  std::string column;
  int64_t length = 0;  // Of every list; 0: taken from the column's fixed-size list type.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column,
          {.help = "a column of lists of numbers", .filled = "the name of a column"});
    visit("length", length,
          {.help = "length of each list; 0: taken from the column's type", .at_least = 0});
  }
};

// Trains a net with a gang of workers and adds its predictions as columns. For values:
// `prediction`, or `prediction`_<label> for each of several labels. For classes: the class as
// `prediction`, in the label's type, and its `probability` (with two classes, that of the positive
// one).
struct TorchEstimatorOptions {
  std::string id;
  Choice net = TabularMlp();
  Inputs categorical;
  Inputs numeric;
  std::vector<VectorColumn> vectors;
  std::string label;
  Columns labels;        // Instead of `label`: several values, learned together.
  std::string positive;  // Which of two classes; empty: the greater one.
  std::string weight;    // A column of row weights; empty: every row counts 1.
  // Unless set: standard for values, except none for poisson. Classes are never scaled.
  std::optional<Scale> label_scale;
  Choice loss = MeanSquaredError();
  std::string prediction = "prediction";
  std::string probability = "probability";
  std::string probabilities;  // A list column with those of all classes, in order; empty: none.
  UnseenClass unseen_class = UnseenClass::kIgnore;
  TrainOptions train;
  GangSpec gang;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("net", net, {.help = "the net to train", .rows_of = "nets"});
    visit("categorical", categorical, {.help = "columns of indices made by a string_indexer"});
    visit("numeric", numeric, {.help = "columns of numbers, without NULL"});
    visit("vectors", vectors,
          {.help = "columns of lists of numbers, for nets that read them by name"});
    visit("label", label, {.help = "the column to predict: a number or a class"});
    visit("labels", labels, {.help = "instead of label: several numbers, learned together"});
    visit("positive", positive,
          {.help = "for two classes: the one whose probability is given; unless set, the greater"});
    visit("weight", weight, {.help = "column that says how much a row counts; unless set, 1"});
    visit("label_scale", label_scale,
          {.help =
               "for numbers: scaling of the label, undone when scoring; unless set, standard, but "
               "none for poisson"});
    visit("loss", loss, {.help = "what training minimises", .rows_of = "losses"});
    visit("prediction", prediction, {.help = "the column that scoring adds", .filled = "a name"});
    visit("probability", probability,
          {.help = "for classes: the column of the probability", .filled = "a name"});
    visit(
        "probabilities", probabilities,
        {.help = "for classes: a column of lists with the probability of each; unless set, none"});
    visit("unseen_class", unseen_class,
          {.help = "what happens to validation rows whose class no training row has"});
    visit("train", train, {.help = "how to train it"});
    visit("gang", gang, {.help = "the workers that train it"});
  }
};

}  // namespace protium
