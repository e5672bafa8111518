// SPDX-License-Identifier: Apache-2.0
// What the driver and the tasks "train" and "score" say to each other: MapTask::config, the one
// row that a training gang emits, and the events both report. No LibTorch here.
#pragma once

#include <string>
#include <vector>

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

// (label - mean) / deviation is what the net learns; prediction = output * deviation + mean.
struct LabelScale {
  double mean = 0;
  double deviation = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("mean", mean);
    visit("deviation", deviation);
  }
};

// prediction = intercept + slope * column, fitted by least squares on the training rows.
struct Baseline {
  std::string column;
  double intercept = 0;
  double slope = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("intercept", intercept);
    visit("slope", slope);
  }
};

// What a net is and eats; the same for training and scoring.
struct NetConfig {
  Named net;
  std::vector<CategoricalColumn> categorical;
  Columns numeric;  // Any numeric type; cast once to float32.
  std::string label;
  LabelScale label_scale;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("categorical", categorical);
    visit("numeric", numeric);
    visit("label", label);
    visit("label_scale", label_scale);
  }
};

struct TrainConfig {
  NetConfig net;
  std::string weight;
  std::string held_out;  // Boolean column: true on validation rows. Empty: no validation.
  Named loss;
  TrainOptions train;
  std::string folder;         // Where checkpoints go: <folder>/step-000000120/...
  std::string stages_sha256;  // Of what the stages learned; a checkpoint of another is refused.
  bool resume = false;  // Go on from the newest checkpoint; attempts after the first always do.
  int64_t memory_bytes = 0;  // What the packed rows of all ranks may take.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("weight", weight);
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
  std::string weights;     // Path of a safetensors file.
  std::string prediction;  // The float64 column to add; all input columns pass through.
  Columns metrics;         // Computed where `label` is a column of the input; empty: none.
  std::optional<Baseline> baseline;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("net", net);
    visit("weights", weights);
    visit("prediction", prediction);
    visit("metrics", metrics);
    visit("baseline", baseline);
  }
};

// Event of "score", once a partition: {"event": "score_metrics", "model": <state>,
// "baseline": <state>} with mergeable states of learn/metrics.h.

}  // namespace protium
