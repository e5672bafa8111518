// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/forest_config.h"
#include "model/net_rows.h"
#include "model/start_forest.h"
#include "tasks/gang_rows.h"
#include "tasks/tasks.h"
#include "trees/boost.h"

// The task "train_trees", one rank of a gang. In order, all of it collective:
// 1. the config becomes a BoostSpec; any error in it fails on all ranks alike;
// 2. this rank gets the rows of its shards, as for "train", but with features that may be missing;
// 3. Boost() (trees/boost.h) adds the trees; rank 0 emits the result as one row of JSON.

namespace protium {
namespace {

// Everything besides the rows that decides the forest, as in train_task.cc: never the number of
// shards or workers. The columns are those of `net`.
Json CollectOptions(const TrainConfig& config, const TreeConfig& own) {
  Json options = {{"trees", FieldsThatDecide(own.trees)}, {"train", FieldsThatDecide(own.train)}};
  options["net"] = FieldsToJson(config.net);
  options["weight"] = config.weight;
  options["loss"] = FieldsToJson(config.loss);
  if (!config.group.empty()) options["group"] = config.group;
  if (!own.train.from.sha256.empty()) options["from"] = own.train.from.sha256;
  return options;
}

Result<BoostSpec> MakeBoostSpec(const TrainConfig& config, const TaskRows& rows, int32_t attempt) {
  TreeConfig own;
  PT_TRY(FieldsFromJson(config.own, "own", own));
  BoostSpec spec{.trees = own.trees,
                 .train = own.train,
                 .loss = config.loss,
                 .class_weights = config.net.objective.class_weights,
                 .target = MakeTarget(config.net.objective),
                 .decision = {config.calibration, config.threshold_by},
                 .own_metrics = rows.metrics,
                 .columns = ForestColumns(config.net),
                 .folder = config.folder,
                 .resume = config.resume || attempt > 0,
                 .options = CollectOptions(config, own),
                 .stages_sha256 = config.stages_sha256};
  PT_LET(spec.start, ReadStartForest(own.train.from, config.net));
  // The metric that chooses the best round must be measured even if it is not listed.
  std::vector<std::string>& metrics = spec.train.metrics;
  const bool measured = std::ranges::find(metrics, spec.train.best) != metrics.end();
  if (!measured) metrics.push_back(spec.train.best);
  PT_TRY(MetricState::Make(metrics, spec.target.kind, spec.own_metrics));
  return spec;
}

Status EmitResult(TaskContext& context, const BoostOutcome& outcome, const RankRows& rows) {
  const TrainResult result{.weights = outcome.weights.string(),
                           .weights_sha256 = outcome.weights_sha256,
                           .steps = outcome.rounds,
                           .rows = rows.train->total_rows(),
                           .validation_rows = rows.held_out ? rows.held_out->total_rows() : 0,
                           .unseen_rows = rows.unseen,
                           .disk_bytes = rows.disk_bytes,
                           .best_epoch = outcome.best_round,
                           .validation = outcome.validation,
                           .decision = outcome.decision,
                           .diagnostics = outcome.diagnostics,
                           .importance = outcome.importance,
                           .splits = outcome.splits,
                           .history = outcome.history,
                           .fingerprint = outcome.fingerprint,
                           .rows_identity = outcome.rows_identity,
                           .wait_share = outcome.wait_share};
  return EmitJson(context, FieldsToJson(result));
}

}  // namespace

Status RunTreeTask(TaskContext& context, const TaskRows& known) {
  TrainConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(const TaskRows all, WithExtensions(known, config.extensions));
  PT_LET(const BoostSpec spec, MakeBoostSpec(config, all, context.attempt()));
  PT_LET(Communicator * communicator, CommunicatorOf(context));
  const NetInputs inputs{.rows = ForestRows(config.net, config.weight, true, config.group),
                         .cardinalities = Cardinalities(config.net),
                         .outputs = config.net.objective.outputs()};
  context.SetPhase("packing rows");
  PT_LET(const RankRows rows, LoadRankRows(config, inputs, context, MembershipOf(context)));
  PT_LET(const BoostOutcome outcome,
         Boost(spec, {.rows = *rows.train,
                      .validation = rows.held_out.get(),
                      .packed = rows.packed,
                      .communicator = communicator,
                      .membership = MembershipOf(context),
                      .memory_bytes = config.memory_bytes / std::max(1, context.world()),
                      .scratch = ScratchFolder(config),
                      .report = [&](const Json& event) { context.Send(event); },
                      .saved = [&] { context.Saved(); },
                      .phase = [&](const char* phase) { context.SetPhase(phase); },
                      .stop = context.stop()}));
  // Only rank 0 of the last generation has them.
  return outcome.weights.empty() ? Status::OK() : EmitResult(context, outcome, rows);
}

}  // namespace protium
