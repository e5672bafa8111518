// SPDX-License-Identifier: Apache-2.0
// What passes between the driver and the tasks "train" and "score": the JSON in MapTask::config,
// the one row that a training gang emits, and the events that both tasks report. Declared here, on
// the driver's side; the room that implements the tasks lies above it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "metrics/decision.h"
#include "nets/layers.h"
#include "pipeline/objective.h"
#include "protium/stages.h"

namespace protium {

// A column of category indices; the net has `cardinality` embedding rows for it.
struct CategoricalColumn {
  std::string column;  // int64 indices 0 .. cardinality-1.
  int64_t cardinality = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("cardinality", cardinality);
  }
};

// A column of lists, each of `length` numbers.
struct ListInput {
  std::string column;
  int64_t length = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("length", length);
  }
};

// The net, the columns it reads, in this order, and what it learns. The same for training and
// scoring, and kept in the model as net.json.
struct NetConfig {
  Choice net;
  std::vector<CategoricalColumn> categorical;
  Columns numeric;  // Any numeric type; cast once to float32.
  std::vector<ListInput> lists;
  Objective objective;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("categorical", categorical);
    visit("numeric", numeric);
    visit("lists", lists);
    visit("objective", objective);
  }
};

// What such a net reads and gives, for those without columns of lists.
inline NetShape ShapeOf(const NetConfig& config) {
  NetShape shape{.numeric = int64_t(config.numeric.size()), .outputs = config.objective.outputs()};
  for (const CategoricalColumn& each : config.categorical) {
    shape.categorical.push_back(each.column);
    shape.cardinalities.push_back(each.cardinality);
  }
  return shape;
}

// A number of the net that stages make by scaling alone, (from - mean) / deviation in double.
// Workers compute it as they pack rows: the same bits, and one column less for the engine to make
// and to hand over.
struct ScaledNumber {
  std::string column;
  std::string from;
  double mean = 0;
  double deviation = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("from", from);
    visit("mean", mean);
    visit("deviation", deviation);
  }
};

// The column that a number of the net is read from.
inline const std::string& ReadFrom(const std::vector<ScaledNumber>& scaled,
                                   const std::string& column) {
  const auto found = std::ranges::find(scaled, column, &ScaledNumber::column);
  return found == scaled.end() ? column : found->from;
}

// An extension with the job's net, loss or metrics, as workers find it.
struct NetLibrary {
  std::string file;    // Where the driver opened it.
  std::string kept;    // A copy in the session's folder, for executors that do not see `file`.
  std::string sha256;  // Of the content; if `file` has another by now, `kept` is opened.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file);
    visit("kept", kept);
    visit("sha256", sha256);
  }
};

// What a task computes on: the CPU; or, where the job has asked for devices, the first of those
// that it has leased, or the CPU in its place, which takes the same way (tensor/device.h) and so
// tries it out without one. A cluster may give devices to tasks that have not asked for any.
enum class DeviceUse { kCpu, kLeased, kStandIn };
inline EnumNames<DeviceUse> Names(DeviceUse) {
  return {{{DeviceUse::kCpu, "cpu"},
           {DeviceUse::kLeased, "leased"},
           {DeviceUse::kStandIn, "stand_in"}}};
}

// Packed rows that several trainings of this machine share (rows/kept_rows.h).
struct SharedRows {
  std::string folder;      // Named by all that decides the rows; empty: they are not shared.
  bool there = false;      // An earlier training has kept them: no input comes.
  int64_t most_bytes = 0;  // Otherwise they are kept unless they take more.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("folder", folder);
    visit("there", there);
    visit("most_bytes", most_bytes);
  }
};

// The config of "train", and of the tasks that train other kinds of estimators: for these `loss`
// and what comes before it, `folder`, `stages_sha256` and `own` are meant.
struct TrainConfig {
  NetConfig net;
  std::vector<ScaledNumber> scaled;  // Of the net's numbers; the others are columns of the input.
  std::vector<NetLibrary> extensions;
  std::string weight;  // The column of row weights; empty: every row counts 1.
  UnseenClass unseen_class = UnseenClass::kIgnore;  // Among validation rows.
  std::string threshold_by;  // The metric that chooses the threshold; empty: it is chosen.
  Calibration calibration = Calibration::kNone;
  std::string held_out;  // A boolean column, true on validation rows; empty: no validation.
  Choice loss;
  TrainOptions train;
  std::string folder;  // Where checkpoints go: <folder>/step-000000120/...
  // Of what the stages learned and of the extensions; a checkpoint of another is refused.
  std::string stages_sha256;
  bool resume = false;  // Start from the newest checkpoint, as attempts after the first always do.
  int64_t memory_bytes = 0;  // For the packed rows of all ranks together; 0: no limit.
  std::string scratch;       // A folder for rows beyond it; empty: each rank's temporary folder.
  SharedRows shared;
  DeviceUse device = DeviceUse::kCpu;
  Json own = Json::object();  // What a kind of estimator other than nets adds.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("scaled", scaled);
    visit("extensions", extensions);
    visit("weight", weight);
    visit("unseen_class", unseen_class);
    visit("threshold_by", threshold_by);
    visit("calibration", calibration);
    visit("held_out", held_out);
    visit("loss", loss);
    visit("train", train);
    visit("folder", folder);
    visit("stages_sha256", stages_sha256);
    visit("resume", resume);
    visit("memory_bytes", memory_bytes);
    visit("scratch", scratch);
    visit("shared", shared);
    visit("device", device);
    visit("own", own);
  }
};

// What training leaves: the one row that a gang emits, by rank 0, as JSON in the utf8 column
// "json".
struct TrainResult {
  std::string weights;         // Path of the safetensors file with the best (or last) weights.
  std::string weights_sha256;  // Of the tensors alone, in the order of their names.
  int64_t steps = 0;
  int64_t rows = 0;  // Training rows, over all shards.
  int64_t validation_rows = 0;
  int64_t unseen_rows = 0;           // Validation rows left out, of classes without a training row.
  int64_t disk_bytes = 0;            // Of packed rows that did not fit memory, over all ranks.
  int64_t best_epoch = 0;            // From 1; 0 without validation.
  Json validation = Json::object();  // {"rmse": ..., "mae": ...} of the best epoch, label's units.
  Decision decision;                 // Fitted on the validation rows; else that of the objective.
  Json diagnostics = Json::object();  // Of the validation rows (metrics/diagnostics.h).
  Json importance;                    // Of columns (train/importance.h); null: not measured.
  // [{"epoch", "step", "loss", "learning_rate" of the last step, "validation": {...}, "seconds"}]
  Json history = Json::array();
  Json fingerprint = Json::object();    // The numerics that the weights were computed under.
  Json rows_identity = Json::object();  // Of the training set: docs/rows.md, "Identity".
  double wait_share = 0;                // Share of the time, 0 to 1, in the sum over ranks.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("weights", weights);
    visit("weights_sha256", weights_sha256);
    visit("steps", steps);
    visit("rows", rows);
    visit("validation_rows", validation_rows);
    visit("unseen_rows", unseen_rows);
    visit("disk_bytes", disk_bytes);
    visit("best_epoch", best_epoch);
    visit("validation", validation);
    visit("decision", decision);
    visit("diagnostics", diagnostics);
    visit("importance", importance);
    visit("history", history);
    visit("fingerprint", fingerprint);
    visit("rows_identity", rows_identity);
    visit("wait_share", wait_share);
  }
};

// "train" sends, from rank 0 alone: TrainStarted, StepDone, Validated, EpochDone, Checkpointed,
// RankSeconds, GangEntered, and Note and Warning (events/events.h).

// The config of "score".
struct ScoreConfig {
  NetConfig net;
  std::vector<ScaledNumber> scaled;  // As in TrainConfig.
  std::vector<NetLibrary> extensions;
  std::string weights;  // Path of a safetensors file.
  Columns added;        // The columns that a prediction adds (PredictedFields), in order.
  Columns metrics;      // Computed over the rows that have labels; empty: none.
  std::string weight;   // The column that says how much a row counts in them; empty: 1.
  std::optional<Baseline> baseline;
  DeviceUse device = DeviceUse::kCpu;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("scaled", scaled);
    visit("extensions", extensions);
    visit("weights", weights);
    visit("added", added);
    visit("metrics", metrics);
    visit("weight", weight);
    visit("baseline", baseline);
    visit("device", device);
  }
};

// "score" sends ScoredStates once per partition, with mergeable states of metrics/metrics.h and
// metrics/diagnostics.h.

}  // namespace protium
