// SPDX-License-Identifier: Apache-2.0
// How a net is trained, as data. An option is one member and one line in Fields() here: job files,
// --set, help, the reference pages, the driver and the ranks all follow from it. A rank receives
// these structs as JSON in its TrainConfig (pipeline/torch_task.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/optimizers.h"
#include "protium/schedules.h"

namespace protium {

struct FieldType;

// How probabilities are fitted to the validation rows: not at all; by one factor for all outputs
// (Guo et al., "On Calibration of Modern Neural Networks", 2017); or, for two classes, by a rising
// curve (Zadrozny and Elkan, 2002).
enum class Calibration { kNone, kTemperature, kIsotonic };
inline EnumNames<Calibration> Names(Calibration) {
  return {{{Calibration::kNone, "none"},
           {Calibration::kTemperature, "temperature"},
           {Calibration::kIsotonic, "isotonic"}}};
}

// Training rows held out to choose the best epoch; rows with equal values in `by` stay together.
// They are chosen by a hash, like the test side of a split.
struct ValidationOptions {
  double share = 0;             // 0: none.
  std::vector<std::string> by;  // Empty: all columns of the table.
  // Instead: a column of the table, a date, a timestamp or a whole number, whose latest values hold
  // at least `share` of the rows; rows of one time stay together.
  std::string by_time;
  // Instead of all of them: a boolean column of the table that is true in rows held out.
  std::string column;
  // How many of these rows are used after training to measure each column's importance to the
  // predictions; unset: 1000, or fewer if there are over 200 columns; 0: not measured.
  std::optional<int64_t> importance_rows;
  bool HoldsOut() const { return share > 0 || !column.empty(); }
  void HoldOutNothing() {
    share = 0;
    column.clear();
  }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("share", share,
          {.help = "expected share of the rows held out; 0: none", .at_least = 0, .below = 1});
    visit("by", by,
          {.help = "rows with equal values in these stay together; unless set, all columns"});
    visit("by_time", by_time,
          {.help = "instead of by: a column of dates or times, whose latest rows are held out"});
    visit("column", column,
          {.help = "instead of the others: a boolean column that is true in rows held out"});
    visit("importance_rows", importance_rows,
          {.help = "of these, rows on which the importance of columns is measured after training; "
                   "unless set 1000, or fewer if there are over 200 columns; 0: not measured",
           .unit = "rows",
           .at_least = 0});
  }
};

// When to write checkpoints besides the one at the end of each epoch, which is skipped if the last
// one is younger than a second (or than every_seconds). 0 turns off either.
struct CheckpointOptions {
  int64_t every_steps = 0;
  double every_seconds = 30;  // At the first step after this time, by rank 0's clock.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every_steps", every_steps,
          {.help =
               "steps between checkpoints; 0: only after epochs (at most one a second) and by time",
           .unit = "steps",
           .at_least = 0});
    visit(
        "every_seconds", every_seconds,
        {.help = "seconds between checkpoints; 0: not by time", .unit = "seconds", .at_least = 0});
  }
};

// The first n steps raise the learning rate linearly: step i of them, from 0, has the share (i + 1)
// / (n + 1) of the schedule's first rate. Given in steps or as a share of all steps, not both.
struct WarmUpOptions {
  int64_t steps = 0;
  double share = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("steps", steps,
          {.help = "length of the warm-up; 0: `share` decides", .unit = "steps", .at_least = 0});
    visit("share", share,
          {.help = "length as a share of all steps; 0: none", .at_least = 0, .below = 1});
  }
};

// Ends training before its last epoch. Needs validation rows. The model has the best weights in any
// case; this saves the time of the epochs after them.
struct EarlyStoppingOptions {
  int64_t patience = 0;  // Epochs; 0: off.
  double least = 0;      // Absolute, unlike reduce_on_plateau's.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("patience", patience,
          {.help = "ends after this many epochs without a better `best`; 0: never",
           .unit = "epochs",
           .at_least = 0});
    visit("least", least,
          {.help = "smallest improvement of `best` that counts, in its own units", .at_least = 0});
  }
};

// Options of some of the net's parameters, found by name.
struct ParameterOptions {
  std::string name;  // A pattern (train/name_pattern.h); refused if no parameter matches.
  double rate = 1;   // 0 freezes: no step, no weight decay, no part in clip_norm.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name,
          {.help = "names of parameters, such as \"embedding.*\"; * stands for any text",
           .filled = "the name of a parameter"});
    visit("rate", rate,
          {.help = "factor of their learning rate; 0: they are frozen", .at_least = 0});
  }
};

// What training changes after some epochs, with weights and the optimizer's state as they are then.
struct ChangeOptions {
  int64_t after = 1;
  Json optimizer = Json::object();
  std::vector<ParameterOptions> parameters;  // In place of train.parameters; empty: as before.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("after", after,
          {.help = "how many epochs are finished when it takes effect", .at_least = 1});
    visit("optimizer", optimizer,
          {.help = "numbers of `train.optimizer` and what they become, such as { learning_rate = "
                   "0.001 }; others stay as they were"});
    visit("parameters", parameters,
          {.help = "in place of `train.parameters` from then on, such as [{ name = \"*\" }], which "
                   "lets all parameters learn; unless set, rates stay as they were"});
  }
};

// Starts training from the weights of a model instead of random ones. The driver finds the model,
// copies its weights into the run and fills in the last two (model/start_file.h).
struct StartOptions {
  std::string model;                    // A model folder, or a file of weights; empty: none.
  std::vector<std::string> parameters;  // Names, where * matches anything; empty: all.
  // Rows of ids that no epoch has read for so many are left behind; 0: none (tasks/rank_ids.h).
  int64_t expire_epochs = 0;
  std::string weights;  // Filled in: the run's copy of the model's weights.
  std::string sha256;   // Filled in: of its tensors.
  int64_t epochs = 0;   // Filled in: those of the model's training; 0: not known.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("model", model,
          {.help = "a model folder, or a file of weights: safetensors, a state dict of PyTorch's; "
                   "relative to the folder of the tables; \"kept:NAME\": the weights of a training "
                   "that is kept (`continues`)"});
    visit("parameters", parameters,
          {.help = "names of the parameters to take, such as \"embedding.*\"; unless set, all"});
    visit("expire_epochs", expire_epochs,
          {.help = "of a model that reads ids: rows that no epoch has read for so many are left "
                   "behind; 0: none",
           .unit = "epochs",
           .at_least = 0});
    visit("weights", weights, {.help = "filled in when the model is read"});
    visit("sha256", sha256, {.help = "of the weights; filled in when the model is read"});
    visit("epochs", epochs, {.help = "of the model's training; filled in when the model is read"});
  }
};
// The same in job files, where "MODEL" is short for { model = "MODEL" }.
struct ModelOrStart : StartOptions {};
// Before the name of a kept training, where a model is named.
inline constexpr const char* kKeptModel = "kept:";
inline constexpr const char* kContinuesHelp =
    "name of a training that is kept from run to run: this run continues where the last one ended, "
    "for `epochs` (of trees `rounds`) more, and keeps what it has reached; empty: none";
// Refuses what cannot name a kept training, where `from` is what training starts from otherwise.
Status CheckContinues(const std::string& name, const StartOptions& from, const std::string& path);
Json ToJson(const ModelOrStart& start);
Status FromJson(const Json& json, const std::string& path, ModelOrStart& start);
FieldType DescribeType(const ModelOrStart& start);

// The type in which a net computes while it trains. Weights, their sums and the optimizer's state
// are always float32, and so are predictions.
enum class Precision { kFloat32, kBfloat16 };
inline EnumNames<Precision> Names(Precision) {
  return {{{Precision::kFloat32, "float32"}, {Precision::kBfloat16, "bfloat16"}}};
}

// How the ranks of a gang train together. Exact: every step on the gradient of its whole batch.
// Local: every shard makes some steps alone, then all take the mean of what they have reached
// (train/local_round.h). The weights are those of one rank either way. Server: the gradient of each
// shard moves the weights, which servers hold, as soon as it is there (train/server_round.h).
enum class TrainMode { kExact, kLocal, kServer };
inline EnumNames<TrainMode> Names(TrainMode) {
  return {
      {{TrainMode::kExact, "exact"}, {TrainMode::kLocal, "local"}, {TrainMode::kServer, "server"}}};
}

// How many steps the workers of the mode "server" may be apart. In a job file: 4, or "none".
struct Staleness {
  int64_t steps = 0;  // Below 0: there is no bound.
  bool bounded() const { return steps >= 0; }
  bool operator==(const Staleness&) const = default;
};
Json ToJson(const Staleness& staleness);
Status FromJson(const Json& json, const std::string& path, Staleness& staleness);
FieldType DescribeType(const Staleness&);

// What becomes of the optimiser's state at the end of a round: the mean over shards, or what it was
// at first.
enum class LocalState { kAverage, kReset };
inline EnumNames<LocalState> Names(LocalState) {
  return {{{LocalState::kAverage, "average"}, {LocalState::kReset, "reset"}}};
}

// The step that all make together at the end of a round: train/local_round.h.
struct OuterOptions {
  double momentum = 0;
  double rate = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("momentum", momentum,
          {.help = "Nesterov's momentum of the mean move; 0: none; DiLoCo's is 0.9",
           .at_least = 0,
           .below = 1});
    visit("rate", rate,
          {.help = "factor of the mean move; 1: weights become the shards' mean; DiLoCo's is 0.7",
           .above = 0});
  }
};

struct LocalOptions {
  int64_t every = 50;
  OuterOptions outer;
  LocalState state = LocalState::kAverage;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every", every,
          {.help = "steps that a shard makes alone; an epoch's end also ends a round",
           .unit = "steps",
           .at_least = 1});
    visit("outer", outer, {.help = "the step that all make together at the end of a round"});
    visit("state", state,
          {.help = "the optimizer's state after a round: the mean over shards, or as at first"});
  }
};

// How the net is trained. The weights follow from the rows, the net, the loss and the options here,
// never from the number of workers, unless asynchronous(). Options with decides_weights = false may
// be changed before a run is resumed; after any other change the run refuses its checkpoints. Some
// of the former do decide the weights, and checkpoints compare them in other ways:
// 1. shards: by itself, and threads_per_shard as a part of the fingerprint;
// 2. validation: by the keys of the training rows, since holding out others leaves another set;
// 3. from: by the hash of the weights, wherever they are stored;
// 4. continues: by what the kept training was made with;
// 5. epochs: by itself if the schedule depends on the number of steps. Otherwise a run may be
//    resumed with more epochs, or with another early_stopping: both only decide when training ends;
// 6. changes: those that have taken effect by then.
struct TrainOptions {
  int64_t epochs = 10;
  int64_t batch_size = 512;  // Rows of one step, over all workers together.
  int32_t shards = 4;        // Parts of every batch; at most as many workers can share it.
  TrainMode mode = TrainMode::kExact;
  LocalOptions local;            // For that mode.
  Staleness staleness;           // For the mode kServer; 0 has the weights of kExact.
  bool share_optimizer = false;  // train/shared_optimizer.h.
  // The type in which the gradients of shards are added up (docs/rows.md) and travel.
  Precision gradients = Precision::kFloat32;
  int32_t micro_batches = 1;  // Parts of a shard's rows in a step; their gradients are added up.
  Precision precision = Precision::kFloat32;
  Choice optimizer = Adam();
  Choice schedule = ConstantRate();
  WarmUpOptions warm_up;
  std::vector<ChangeOptions> changes;  // In the order of their epochs.
  ValidationOptions validation;
  // Unset: rmse and mae for values; log_loss, auc and accuracy for two classes; log_loss and
  // accuracy for many.
  std::vector<std::string> metrics;
  std::string best;  // The validation metric that chooses the epoch; empty: the first.
  EarlyStoppingOptions early_stopping;
  int32_t keep = 3;      // Newest checkpoints retained, besides the best weights.
  std::string baseline;  // A column to compare with, or a forecast by name; empty: none.
  int64_t seed = 0;
  double clip_norm = 0;   // Largest L2 norm of the gradient of a step; 0: no clipping.
  double clip_value = 0;  // Limit on the size of each element, after clip_norm; 0: no clipping.
  double average = 0;     // Decay of the average of weights (train/average.h); 0: none.
  std::vector<ParameterOptions> parameters;  // The first whose name matches a parameter applies.
  ModelOrStart from;
  std::string continues;  // The name of a kept training (model/kept_training.h); empty: none.
  int32_t threads_per_shard = 1;
  CheckpointOptions checkpoint;
  // What a step is, and how ranks share it: a part of Fields().
  template <class Visit>
  void VisitShares(Visit& visit) {
    visit("batch_size", batch_size,
          {.help = "rows per step, over all workers", .unit = "rows", .at_least = 1});
    visit("shards", shards,
          {.help = "parts of every batch; 1 to `shards` workers give the same weights",
           .at_least = 1,
           .decides_weights = false});
    visit("mode", mode,
          {.help =
               "exact: every step on the sum over all shards; local: each shard makes steps "
               "alone, then all take their mean, which costs far less on a slow network; server: "
               "servers take each shard's gradient as it comes, so nobody waits for a slow worker, "
               "but every run ends with other weights"});
    visit("local", local, {.help = "of the mode \"local\""});
    visit("staleness", staleness,
          {.help = "of the mode \"server\": how many steps a worker may be ahead of another, or "
                   "\"none\" for any number; 0: the weights of the mode \"exact\"",
           .unit = "steps"});
    visit(
        "share_optimizer", share_optimizer,
        {.help = "each worker holds the optimizer's state of its part of the weights alone, which "
                 "saves memory and costs traffic; the weights stay the same",
         .decides_weights = false});
    visit(
        "gradients", gradients,
        {.help = "bfloat16: every sum of gradients over shards is rounded to 8 bits, which halves "
                 "the traffic between hosts; the weights are others than with float32"});
    visit("micro_batches", micro_batches,
          {.help = "parts into which a shard's rows of a step are cut, to save memory",
           .at_least = 1});
  }
  // Whether shards make their steps apart, through servers.
  bool asynchronous() const { return mode == TrainMode::kServer && staleness.steps != 0; }
  // Conditions on more than one field.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epochs", epochs,
          {.help = "passes over the training rows", .at_least = 1, .decides_weights = false});
    VisitShares(visit);
    visit("precision", precision,
          {.help = "bfloat16: matrix products and convolutions of training round to 8 bits, which "
                   "is faster on processors with such instructions; weights stay float32"});
    visit("optimizer", optimizer, {.help = "how weights are updated", .rows_of = "optimizers"});
    visit("schedule", schedule,
          {.help = "how the learning rate changes from step to step", .rows_of = "schedules"});
    visit("warm_up", warm_up, {.help = "raises the learning rate gradually in the first steps"});
    visit("changes", changes,
          {.help = "options that change in mid-training: [{ after = 4, optimizer = { learning_rate "
                   "= 0.001 } }]",
           .decides_weights = false});
    visit("validation", validation,
          {.help = "rows set aside while training, to choose the best epoch",
           .decides_weights = false});
    visit("metrics", metrics,
          {.help = "what is measured on validation and test rows; unless set, what suits the loss",
           .rows_of = "metrics",
           .decides_weights = false});
    visit("best", best,
          {.help = "the metric on validation rows that decides which epoch is kept; unless set, "
                   "the first",
           .rows_of = "metrics"});
    visit("early_stopping", early_stopping,
          {.help = "ends training when it stops improving", .decides_weights = false});
    visit("keep", keep,
          {.help = "checkpoints kept, besides the best", .at_least = 1, .decides_weights = false});
    visit("baseline", baseline,
          {.help = "column to compare with: by a straight line in it or, of earlier values such as "
                   "\"sales__lag__7\", as it is; or a forecast of a series, \"last value\" or "
                   "\"seasonal\", of a season of 7 rows \"seasonal@7\"; empty: none",
           .decides_weights = false});
    visit("seed", seed, {.help = "seed of initial weights, order of rows and dropout"});
    visit("clip_norm", clip_norm,
          {.help = "largest norm of a gradient; larger ones are scaled down; 0: no limit",
           .at_least = 0});
    visit("clip_value", clip_value,
          {.help = "largest size of each element of a step's gradient; 0: no clipping",
           .at_least = 0});
    visit("average", average,
          {.help = "decay of a moving average of the weights, such as 0.999, that is measured and "
                   "kept in their place; 0: none",
           .at_least = 0,
           .below = 1});
    visit("parameters", parameters,
          {.help = "learning rates of some parameters of the net, by name"});
    visit("from", from,
          {.help = "model, or file, whose weights training starts from; unless set, random ones",
           .decides_weights = false});
    visit("continues", continues, {.help = kContinuesHelp, .decides_weights = false});
    visit("threads_per_shard", threads_per_shard,
          {.help = "threads that compute one shard", .at_least = 1, .decides_weights = false});
    visit("checkpoint", checkpoint,
          {.help = "when checkpoints are saved", .decides_weights = false});
  }
};

}  // namespace protium
