// SPDX-License-Identifier: Apache-2.0
// The messages between the driver and the tasks "train" and "score": the JSON in MapTask::config,
// the one row that a training gang emits, and the events that both tasks report. Declared here, on
// the driver's side; the folder that implements the tasks depends on this one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "metrics/decision.h"
#include "nets/layers.h"
#include "pipeline/objective.h"
#include "protium/stages.h"

namespace protium {

// The cardinality of a column of ids (Stage::makes_ids()): the weights say which have a row.
inline constexpr int64_t kAnyId = -1;

// A column of category indices; the net has `cardinality` embedding rows for it.
struct CategoricalColumn {
  std::string column;  // int64 indices 0 .. cardinality-1; of ids, texts or whole numbers.
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
// scoring; stored in the model as net.json.
struct NetConfig {
  Choice net;
  std::vector<CategoricalColumn> categorical;  // Those of ids are the last.
  Columns numeric;                             // Any numeric type; cast once to float32.
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

// The numbers that such a net reads and outputs, for nets without list columns. The cardinalities
// of ids are those of the weights, and kAnyId here.
inline NetShape ShapeOf(const NetConfig& config) {
  NetShape shape{.numeric = int64_t(config.numeric.size()), .outputs = config.objective.outputs()};
  for (const CategoricalColumn& each : config.categorical) {
    shape.categorical.push_back(each.column);
    shape.cardinalities.push_back(each.cardinality);
    shape.ids += each.cardinality == kAnyId ? 1 : 0;
  }
  return shape;
}

// A numeric input of the net that stages make only by scaling, (from - mean) / deviation in double.
// Workers compute it while they pack rows: the same bits, and one column less for the engine to
// make and send.
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

// The column that a numeric input of the net is read from.
inline const std::string& ReadFrom(const std::vector<ScaledNumber>& scaled,
                                   const std::string& column) {
  const auto found = std::ranges::find(scaled, column, &ScaledNumber::column);
  return found == scaled.end() ? column : found->from;
}

// An extension with the job's net, loss or metrics, as workers open it.
struct NetLibrary {
  std::string file;    // Where the driver opened it.
  std::string kept;    // A copy in the session's folder, for executors that do not see `file`.
  std::string sha256;  // Of the content; if that of `file` differs, `kept` is opened.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file);
    visit("kept", kept);
    visit("sha256", sha256);
  }
};

// What a task computes on: the CPU; or, if the job asked for devices, the first of those that it
// leased, or the CPU as a stand-in, which runs the same code (tensor/device.h) and so tests it
// without a device. A cluster may give devices to tasks that did not ask for any.
enum class DeviceUse { kCpu, kLeased, kStandIn };
inline EnumNames<DeviceUse> Names(DeviceUse) {
  return {{{DeviceUse::kCpu, "cpu"},
           {DeviceUse::kLeased, "leased"},
           {DeviceUse::kStandIn, "stand_in"}}};
}

// Packed rows that several trainings on this machine share (rows/kept_rows.h).
struct SharedRows {
  std::string folder;      // Named after all that determines the rows; empty: not shared.
  bool there = false;      // An earlier training has stored them: no input is sent.
  int64_t most_bytes = 0;  // Otherwise they are stored, unless they take more.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("folder", folder);
    visit("there", there);
    visit("most_bytes", most_bytes);
  }
};

// The config of "train", and of the tasks that train other kinds of estimators, which use `loss`
// and everything before it, `folder`, `stages_sha256` and `own`.
struct TrainConfig {
  NetConfig net;
  std::vector<ScaledNumber> scaled;  // Numbers of the net; the others are input columns.
  std::vector<NetLibrary> extensions;
  std::string weight;  // The column of row weights; empty: every row counts 1.
  std::string group;   // The column of groups that rows are ranked in; empty: they are not.
  UnseenClass unseen_class = UnseenClass::kIgnore;  // Among validation rows.
  std::string threshold_by;  // The metric that chooses the threshold; empty: it is fixed.
  Calibration calibration = Calibration::kNone;
  std::vector<int64_t> seasons;  // Of the columns ScaleColumn() that held-out rows have.
  std::string held_out;          // A boolean column, true on validation rows; empty: no validation.
  Choice loss;
  TrainOptions train;
  std::string folder;  // Where checkpoints go: <folder>/step-000000120/...
  // Covers what the stages learned and the extensions; a checkpoint with another hash is refused.
  std::string stages_sha256;
  bool resume = false;  // Start from the newest checkpoint, as attempts after the first always do.
  int64_t memory_bytes = 0;  // For the packed rows of all ranks; 0: no limit.
  std::string scratch;       // A folder for rows beyond that; empty: each rank's temporary folder.
  SharedRows shared;
  DeviceUse device = DeviceUse::kCpu;
  int32_t servers = 0;        // Ranks, the last ones, that hold rows of tables of ids.
  double deadline = 60;       // Seconds that a rank may keep the others waiting.
  Json own = Json::object();  // Added by kinds of estimator other than nets.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("scaled", scaled);
    visit("extensions", extensions);
    visit("weight", weight);
    visit("group", group);
    visit("seasons", seasons);
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
    visit("servers", servers);
    visit("deadline", deadline);
    visit("own", own);
  }
};

// The result of training: the one row that a gang emits, from rank 0, as JSON in the utf8 column
// "json".
struct TrainResult {
  std::string weights;         // Path of the safetensors file with the best (or last) weights.
  std::string weights_sha256;  // Hash of the tensors only, in the order of their names.
  std::string background;      // Path of the background rows (model/background.h); empty: none.
  int64_t steps = 0;
  int64_t rows = 0;  // Training rows, over all shards.
  int64_t validation_rows = 0;
  int64_t unseen_rows = 0;            // Validation rows left out: no training row has their class.
  int64_t disk_bytes = 0;             // Packed rows that did not fit into memory, over all ranks.
  int64_t best_epoch = 0;             // From 1; 0 without validation.
  Json validation = Json::object();   // {"rmse": ..., "mae": ...} of the best epoch, label's units.
  Decision decision;                  // Fitted on the validation rows; else the objective's.
  Json diagnostics = Json::object();  // Of the validation rows (metrics/diagnostics.h).
  Json rounded;                       // TrainOutcome::rounded; null: not measured.
  Json importance;                    // Of columns (train/importance.h); null: not measured.
  // Of a forest, all its splits on each column that it reads: [{"column", "gain", "cover",
  // "splits"}, ...]; of a net null.
  Json splits;
  // [{"epoch", "step", "loss", "learning_rate" of the last step, "validation": {...}, "seconds"}]
  Json history = Json::array();
  Json fingerprint = Json::object();    // The numerics that the weights were computed with.
  Json rows_identity = Json::object();  // Of the training set: docs/rows.md, "Identity".
  double wait_share = 0;                // Share of the time, 0 to 1, in all-reduce.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("weights", weights);
    visit("weights_sha256", weights_sha256);
    visit("background", background);
    visit("steps", steps);
    visit("rows", rows);
    visit("validation_rows", validation_rows);
    visit("unseen_rows", unseen_rows);
    visit("disk_bytes", disk_bytes);
    visit("best_epoch", best_epoch);
    visit("validation", validation);
    visit("decision", decision);
    visit("diagnostics", diagnostics);
    visit("int8", rounded);  // What kept trainings call it.
    visit("importance", importance);
    visit("splits", splits);
    visit("history", history);
    visit("fingerprint", fingerprint);
    visit("rows_identity", rows_identity);
    visit("wait_share", wait_share);
  }
};

// "train" sends, only from rank 0: TrainStarted, StepDone, Validated, EpochDone, Checkpointed,
// RankSeconds, GangEntered, and Note and Warning (events/events.h).

// How predictions are explained (pipeline/explained.h).
struct ExplainConfig {
  int32_t columns = 0;     // Those that matter most to a row; kEveryColumn; 0: no explanations.
  Columns sources;         // For each feature, the table's columns that it is made from, to show.
  int32_t samples = 1;     // PipelineModel::Explaining().
  std::string background;  // Path of the background rows (model/background.h); empty: none.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("columns", columns);
    visit("sources", sources);
    visit("samples", samples);
    visit("background", background);
  }
};

// The config of "score".
struct ScoreConfig {
  NetConfig net;
  std::vector<ScaledNumber> scaled;  // As in TrainConfig.
  std::vector<NetLibrary> extensions;
  std::string weights;  // Path of a safetensors file.
  Columns added;        // The columns that predictions and explanations add, in order.
  ExplainConfig explain;
  Columns metrics;               // Computed over the rows that have labels; empty: none.
  std::string weight;            // The column of row weights in them; empty: every row counts 1.
  std::string group;             // The column of groups, for metrics of rankings.
  std::vector<int64_t> seasons;  // Of the columns ScaleColumn(), for metrics of series.
  std::optional<Baseline> baseline;
  DeviceUse device = DeviceUse::kCpu;
  // ONNX Runtime computes the net (model/row_graph.h), which LibTorch trained.
  bool as_graph = false;
  bool int8 = false;  // With weights of 8 bits (nets/forward.h).
  template <class Visit>
  void Fields(Visit& visit) {
    visit("as_graph", as_graph);
    visit("int8", int8);
    visit("net", net);
    visit("scaled", scaled);
    visit("extensions", extensions);
    visit("weights", weights);
    visit("added", added);
    visit("explain", explain);
    visit("metrics", metrics);
    visit("weight", weight);
    visit("group", group);
    visit("seasons", seasons);
    visit("baseline", baseline);
    visit("device", device);
  }
};

// "score" sends ScoredStates once per partition, with mergeable states of metrics/metrics.h and
// metrics/diagnostics.h.

}  // namespace protium
