// SPDX-License-Identifier: Apache-2.0
// A rank's life while a forest is trained: agree, resume or begin, add a round of trees at a time,
// measure, save. The contract is docs/trees.md: the forest depends on the rows and the options, not
// on ranks, shards or the order of rows, and an interrupted training continues to the same bits.
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
#include "protium/choice.h"
#include "protium/trees.h"
#include "rows/rows.h"
#include "train/validation.h"
#include "trees/forest.h"

namespace protium {

// The same on every rank.
struct BoostSpec {
  TreeOptions trees;       // Complete.
  TreeTrainOptions train;  // Complete; `best` is one of `metrics`.
  Choice loss;             // One of those that TreeLoss knows (gradient.h), with its options.
  std::vector<double> class_weights;  // How much a row of each class counts; empty: 1.
  Target target;
  DecisionSpec decision;                // Fitted to the validation rows.
  std::vector<MetricSpec> own_metrics;  // Besides the built-in ones.
  std::vector<ForestColumn> columns;    // As RowsOf() below lays them out.
  Forest start;                         // Of train.from; without trees: none.

  std::filesystem::path folder;  // For checkpoints.
  bool resume = false;           // Continues from the newest checkpoint, if any.
  Json options;  // All that decides the forest; a checkpoint with others is refused.
  std::string stages_sha256;
};

// What this rank brings; all of it is borrowed for the call.
struct BoostInput {
  ShardedRows& rows;                        // Features may be missing (RowField::missing).
  ShardedRows* validation = nullptr;        // nullptr: none. With own labels (WithOwnLabels()).
  bool packed = true;                       // For this training; false: an earlier one's rows.
  Communicator* communicator = nullptr;     // nullptr for a newcomer, which enters by `membership`.
  GangMembership* membership = nullptr;     // Of an elastic gang.
  int64_t memory_bytes = 0;                 // For the bins of this rank; 0: no limit.
  std::filesystem::path scratch;            // A folder for bins beyond that.
  std::function<void(const Json&)> report;  // Called on rank 0, like the next.
  std::function<void()> saved;              // A checkpoint is complete. May be empty.
  std::function<void(const char*)> phase;
  std::stop_token stop;
};

// As in TrainOutcome (train/trainer.h); an epoch there is a round here.
struct BoostOutcome {
  std::filesystem::path weights;  // Only on rank 0 of the last generation, like the hash.
  std::string weights_sha256;
  int64_t rounds = 0;      // Made in all.
  int64_t best_round = 0;  // From 1: the last round of the forest that is handed out; 0: all are.
  Decision decision;
  Json validation = Json::object();
  Json diagnostics = Json::object();
  Json importance;
  // [{"column", "gain", "cover", "splits"}] of the forest that is handed out (SplitImportance).
  Json splits = Json::array();
  Json history = Json::array();
  Json fingerprint = Json::object();
  Json rows_identity;
  double wait_share = 0;
};

// Collective; computes in the calling thread. Stops, fails and bends as Train() (train/trainer.h)
// does, between rounds.
Result<BoostOutcome> Boost(const BoostSpec& spec, const BoostInput& input);

}  // namespace protium
