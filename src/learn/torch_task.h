// SPDX-License-Identifier: Apache-2.0
// What the driver and the tasks "train" and "score" say to each other: MapTask::config, the one
// row that a training gang emits, and the events both report. No LibTorch here.
#pragma once

#include <string>
#include <vector>

#include "learn/objective.h"
#include "learn/options.h"

namespace protium {

struct CategoricalColumn {
  std::string column;  // int64 indices 0 .. cardinality-1.
  int64_t cardinality = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("cardinality", cardinality);
  }
};

// A column of lists, each of so many numbers.
struct ListInput {
  std::string column;
  int64_t length = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("length", length);
  }
};

// What a net is, reads and learns; the same for training and scoring.
struct NetConfig {
  Named net;
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

// The extension that brings a net, as workers find it. All empty: none does.
struct NetLibrary {
  std::string file;    // Where the driver opened it.
  std::string kept;    // A copy in the session's folder, for executors that do not see `file`.
  std::string sha256;  // Of the content: a worker opens no other one.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file);
    visit("kept", kept);
    visit("sha256", sha256);
  }
};

struct TrainConfig {
  NetConfig net;
  NetLibrary extension;
  std::string weight;
  UnseenClass unseen_class = UnseenClass::kIgnore;  // Among validation rows.
  std::string held_out;  // Boolean column: true on validation rows. Empty: no validation.
  Named loss;
  TrainOptions train;
  std::string folder;  // Where checkpoints go: <folder>/step-000000120/...
  // Of what the stages learned and of the extension; a checkpoint of another is refused.
  std::string stages_sha256;
  bool resume = false;  // Go on from the newest checkpoint; attempts after the first always do.
  int64_t memory_bytes = 0;  // What the packed rows of all ranks may take.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("extension", extension);
    visit("weight", weight);
    visit("unseen_class", unseen_class);
    visit("held_out", held_out);
    visit("loss", loss);
    visit("train", train);
    visit("folder", folder);
    visit("stages_sha256", stages_sha256);
    visit("resume", resume);
    visit("memory_bytes", memory_bytes);
  }
};

// The one row a training gang emits (by rank 0), as JSON in the utf8 column "json".
struct TrainResult {
  std::string weights;  // Path of the safetensors file of the best (or last) weights.
  std::string weights_sha256;
  int64_t steps = 0;
  int64_t rows = 0;  // Training rows, all shards.
  int64_t validation_rows = 0;
  int64_t unseen_rows = 0;           // Validation rows left out, of classes never learned.
  int64_t best_epoch = 0;            // From 1; 0 without validation.
  Json validation = Json::object();  // {"rmse": ..., "mae": ...} of the best epoch, label's units.
  Json history = Json::array();      // [{"epoch", "step", "loss", "validation": {...}, "seconds"}]
  Json fingerprint = Json::object();
  Json rows_identity = Json::object();
  double wait_share = 0;  // Share of step time spent waiting for other ranks or data.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("weights", weights);
    visit("weights_sha256", weights_sha256);
    visit("steps", steps);
    visit("rows", rows);
    visit("validation_rows", validation_rows);
    visit("unseen_rows", unseen_rows);
    visit("best_epoch", best_epoch);
    visit("validation", validation);
    visit("history", history);
    visit("fingerprint", fingerprint);
    visit("rows_identity", rows_identity);
    visit("wait_share", wait_share);
  }
};

// Events of "train": {"event": "train_start", "rows", "steps", "epochs", "batch", "shards"},
// {"event": "step", "step", "steps", "epoch", "loss", "rows_per_second", "wait_share"} at least
// every second and for the first step ("loss": the mean of the steps since the event before),
// {"event": "validation", "epoch", "step", <metrics>} and then
// {"event": "epoch", "epoch", "step", "loss"} ("loss": the mean over the epoch) at its end,
// {"event": "checkpoint", "step", "epoch", "path"}.

struct ScoreConfig {
  NetConfig net;
  NetLibrary extension;
  std::string weights;  // Path of a safetensors file.
  Columns added;        // The columns that the prediction makes (PredictedFields), in order.
  Columns metrics;      // Computed where the input has the labels; empty: none.
  std::optional<Baseline> baseline;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("extension", extension);
    visit("weights", weights);
    visit("added", added);
    visit("metrics", metrics);
    visit("baseline", baseline);
  }
};

// Event of "score", once a partition: {"event": "score_metrics", "model": <state>,
// "baseline": <state>} with mergeable states of metrics/metrics.h. Where rows have labels that are
// classes never learned, "unseen_rows" counts those, which are left out.

}  // namespace protium
