// SPDX-License-Identifier: Apache-2.0
// A rank's life: agree, resume or begin, step through the epochs, validate, save. Joint decisions
// (when to stop, when to save) depend only on values that all ranks have, so all make the same
// collective calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "gang/membership.h"
#include "metrics/metrics.h"
#include "nets/target.h"
#include "protium/training.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/weights.h"
#include "train/loss.h"
#include "train/served_tables.h"
#include "train/step_times.h"
#include "train/validation.h"

namespace protium {

// The same on every rank.
struct TrainSpec {
  TrainOptions train;  // Complete; `best` is one of `metrics`.
  Target target;
  Loss loss;
  DecisionSpec decision;  // Fitted to the validation rows, with the weights that are handed out.
  std::vector<MetricSpec> own_metrics;  // Besides the built-in ones.

  std::filesystem::path folder;  // For checkpoints.
  bool resume = false;           // Continues from the newest checkpoint, if any.
  Json options;  // All that decide the weights; a checkpoint made with others is refused.
  std::string stages_sha256;
  double deadline = 60;  // Seconds that a rank may keep the others waiting.
};

// What this rank brings; all of it is borrowed for the call.
struct TrainInput {
  Net& net;
  Weights& weights;
  ShardedRows& rows;
  ShardedRows* validation = nullptr;  // nullptr: none.
  bool packed = true;                 // For this training; false: an earlier one's rows.
  // Whether int8 is measured with the net's rounded weights (nets/weight_precision.h), not as
  // layers compute in it.
  bool rounds_weights = false;
  Communicator* communicator =
      nullptr;  // nullptr for a newcomer, which enters through `membership`.
  // `communicator` is of the generation in which this process takes the rank of one that has ended.
  bool taken = false;
  // For an elastic gang, whose ranks share their rows (rows/shared_rows.h), and one whose servers
  // and workers are replaced one by one.
  GangMembership* membership = nullptr;
  // Holds `net` and `weights`; nullptr: every rank has all rows of tables.
  ServedTables* served = nullptr;
  bool elastic() const { return membership != nullptr && served == nullptr; }
  int32_t servers() const { return served == nullptr ? 0 : served->servers(); }
  // Where what belongs to the weights lies: FloatMemory::Make().
  std::filesystem::path disk() const {
    return served != nullptr && served->serves() ? served->disk() : std::filesystem::path();
  }
  // The libraries that net and loss depend on (NumericsFingerprint()).
  Json numerics = Json::object();
  std::function<void(const Json&)> report;  // Called on rank 0, like the next.
  std::function<void()> saved;              // A checkpoint is complete. May be empty.
  PhaseReport phase;
  std::stop_token stop;
};

struct TrainOutcome {
  std::filesystem::path weights;  // Only on rank 0 of the last generation, like the hash.
  std::string weights_sha256;     // Of the tensors alone.
  int64_t steps = 0;
  int64_t best_epoch = 0;  // From 1; 0 without validation.
  // With validation rows, for the weights that are handed out: what was fitted, the values of the
  // metrics with it, and what a report draws (Diagnostics::Drawn).
  Decision decision;
  Json validation = Json::object();
  Json diagnostics = Json::object();
  // {"metric": "auc", "float32": 0.91, "int8": 0.9099, "bf16": 0.91, "higher_is_better": true}, the
  // metric `best` of these weights and of the same rounded; without what the net cannot compute
  // with, null if that is both.
  Json rounded;
  Json importance;  // Of columns for the metric `best` (MeasureImportance); null: not measured.
  Json history = Json::array();
  Json fingerprint;
  Json rows_identity;
  double wait_share = 0;  // Share of the time, 0 to 1, spent in the all-reduce.
};

// Collective; computes in the calling thread. Returns when all epochs are done, or early stopping
// ends training. If any rank is asked to stop, all end after the same step, with a checkpoint; the
// fault has the exit code of a stopped run and names the step. A failed step's fault names the
// newest checkpoint. If ranks do not agree on rows or weights, all of them fail.
Result<TrainOutcome> Train(const TrainSpec& spec, const TrainInput& input);

}  // namespace protium
