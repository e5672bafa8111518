// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fault.h"
#include "metrics/metrics.h"
#include "model/background.h"
#include "model/net_rows.h"
#include "model/row_graph.h"
#include "tasks/choose_background.h"
#include "tasks/gang_rows.h"
#include "tasks/rank_ids.h"
#include "tasks/rank_rows.h"
#include "tasks/serve_tables.h"
#include "tasks/task_device.h"
#include "tasks/tasks.h"
#include "tensor/weights.h"
#include "train/served_tables.h"
#include "train/trainer.h"

// The task "train", one rank of a gang. In order, all of it collective:
// 1. the config becomes a TrainSpec and a net on the rank's device; any error in it fails on all
//    ranks alike;
// 2. this rank gets the rows of its shards, training and held-out rows separately (rank_rows.h),
//    and learns which ids all of them have (rank_ids.h), on servers as serve_tables.h says;
// 3. Train() (train/trainer.h) runs the epochs; rank 0 emits the result as one row of JSON.

namespace protium {
namespace {

// Everything besides the rows that decides the weights, or which of them are chosen. A checkpoint
// stores it, and a run with other options is refused when it resumes. The start is represented by
// the hash of its weights, since the path of the copy differs between run folders.
Json CollectOptions(const TrainConfig& config) {
  Json options = FieldsThatDecide(config.train);
  if (config.train.mode != TrainMode::kLocal) options.erase("local");
  if (!config.train.asynchronous()) {
    options.erase("staleness");
    // Exact mode, of which servers without staleness have the bits, has no options, and checkpoints
    // that name no mode were made in it.
    if (config.train.mode != TrainMode::kLocal) options.erase("mode");
  }
  // Nor do those that name no type of gradients round them.
  if (config.train.gradients == Precision::kFloat32) options.erase("gradients");
  options["net"] = FieldsToJson(config.net);
  options["weight"] = config.weight;
  options["loss"] = FieldsToJson(config.loss);
  if (!config.train.from.sha256.empty()) {
    options["from"] = {{"sha256", config.train.from.sha256},
                       {"parameters", config.train.from.parameters}};
    if (config.train.from.expire_epochs > 0) {
      options["from"]["expire_epochs"] = config.train.from.expire_epochs;
    }
  }
  return options;
}

Result<TrainSpec> MakeTrainSpec(const TrainConfig& config, const TaskRows& rows, int32_t attempt) {
  const Objective& objective = config.net.objective;
  PT_LET(const Loss loss, MakeLoss(rows.losses, config.loss, objective.class_weights));
  TrainSpec spec{.train = config.train,
                 .target = MakeTarget(objective),
                 .loss = loss,
                 .decision = {config.calibration, config.threshold_by},
                 .own_metrics = rows.metrics,
                 .folder = config.folder,
                 // A restarted gang continues from its own checkpoints, whether or not the user
                 // asked to resume a run.
                 .resume = config.resume || attempt > 0,
                 .options = CollectOptions(config),
                 .stages_sha256 = config.stages_sha256,
                 .deadline = config.deadline};
  // The metric that chooses the best epoch must be measured even if it is not listed.
  std::vector<std::string>& metrics = spec.train.metrics;
  const bool measured = std::ranges::find(metrics, spec.train.best) != metrics.end();
  if (!measured) metrics.push_back(spec.train.best);
  PT_TRY(MetricState::Make(metrics, spec.target.kind, spec.own_metrics));
  return spec;
}

Status CheckShards(const TrainConfig& config, int32_t workers) {
  if (workers <= config.train.shards) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("{} workers cannot share {} shards", workers, config.train.shards),
       .where = "train.shards",
       .fix = fmt::format("set train.shards = {}", workers)});
}

struct BuiltNet {
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
};

Result<BuiltNet> BuildWeighted(const TaskRows& all, const TrainConfig& config,
                               const NetInputs& inputs) {
  BuiltNet built;
  PT_LET(built.net, BuildNetThere(all.nets, config.net.net, inputs));
  PT_LET(built.weights, Weights::Make(*built.net, inputs.device));
  return built;
}

// What a rank brings to Train().
struct LoadedRank {
  BuiltNet built;  // Unless servers hold rows.
  std::unique_ptr<ServedTables> served;
  RankRows rows;
  Communicator* communicator = nullptr;
  GangMembership* membership = nullptr;
  bool taken = false;
};

// Collective, except for a newcomer. A net of ids depends on which the rows have; any other is
// refused before rows are packed.
Result<LoadedRank> LoadRank(const TaskRows& all, const TrainConfig& config, NetInputs inputs,
                            TaskContext& context) {
  LoadedRank out;
  const bool by_id = inputs.rows.Find(kIdsField) != nullptr;
  if (!by_id) {
    PT_LET(out.built, BuildWeighted(all, config, inputs));
  }
  context.SetPhase("packing rows");
  if (by_id && config.servers > 0) {
    PT_LET(ServedTraining served, ServeTables(all, config, inputs, context));
    return LoadedRank{.served = std::move(served.tables),
                      .rows = std::move(served.rows),
                      .communicator = served.communicator,
                      .membership = served.membership,
                      .taken = served.taken};
  }
  PT_LET(out.communicator, CommunicatorOf(context));
  out.membership = config.servers > 0 ? nullptr : MembershipOf(context);
  PT_LET(out.rows, LoadRankRows(config, inputs, context, out.membership));
  if (!by_id) return out;
  context.SetPhase("collecting ids");
  PT_LET(inputs.ids,
         FindIds(*out.rows.train, config, context, out.membership != nullptr, out.communicator));
  PT_LET(out.built, BuildWeighted(all, config, inputs));
  return out;
}

Status EmitResult(TaskContext& context, const std::filesystem::path& background,
                  const TrainOutcome& outcome, const RankRows& rows) {
  const TrainResult result{.weights = outcome.weights.string(),
                           .weights_sha256 = outcome.weights_sha256,
                           .background = background.string(),
                           .steps = outcome.steps,
                           .rows = rows.train->total_rows(),
                           .validation_rows = rows.held_out ? rows.held_out->total_rows() : 0,
                           .unseen_rows = rows.unseen,
                           .disk_bytes = rows.disk_bytes,
                           .best_epoch = outcome.best_epoch,
                           .validation = outcome.validation,
                           .decision = outcome.decision,
                           .diagnostics = outcome.diagnostics,
                           .rounded = outcome.rounded,
                           .importance = outcome.importance,
                           .history = outcome.history,
                           .fingerprint = outcome.fingerprint,
                           .rows_identity = outcome.rows_identity,
                           .wait_share = outcome.wait_share};
  return EmitJson(context, FieldsToJson(result));
}

// TrainInput::numerics.
Json NumericsOf(const TaskRows& all, const NetInputs& inputs) {
  return all.numerics ? all.numerics(inputs.threads, inputs.bfloat16) : Json::object();
}

}  // namespace

Status RunTrainTask(TaskContext& context, const TaskRows& known) {
  TrainConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(const TaskRows all, WithExtensions(known, config.extensions));
  PT_LET(const TrainSpec spec, MakeTrainSpec(config, all, context.attempt()));
  PT_TRY(CheckShards(config, context.world() - config.servers));
  NetInputs inputs = MakeNetInputs(config);
  context.SetPhase("building the net");
  inputs.bfloat16 = config.train.precision == Precision::kBfloat16;
  inputs.threads = config.train.threads_per_shard;
  if (all.prepare) PT_TRY(all.prepare(inputs.threads));
  PT_LET(inputs.device, ChooseDevice(context, config.device, all));
  PT_LET(LoadedRank loaded, LoadRank(all, config, inputs, context));
  const RankRows& rows = loaded.rows;
  // A process that takes a rank is never rank 0, which alone keeps these.
  std::vector<std::byte> background;
  if (!loaded.taken) {
    PT_LET(background,
           ChooseBackground(*rows.train, loaded.membership != nullptr, *loaded.communicator));
  }
  const ServedTables* const served = loaded.served.get();
  PT_LET(const TrainOutcome outcome,
         Train(spec, {.net = served ? loaded.served->net() : *loaded.built.net,
                      .weights = served ? loaded.served->weights() : *loaded.built.weights,
                      .rows = *rows.train,
                      .validation = rows.held_out.get(),
                      .packed = rows.packed,
                      .rounds_weights = IsRunAsGraph(config.net.net.name),
                      .communicator = loaded.communicator,
                      .taken = loaded.taken,
                      .membership = loaded.membership,
                      .served = loaded.served.get(),
                      .numerics = NumericsOf(all, inputs),
                      .report = [&](const Json& event) { context.Send(event); },
                      .saved = [&] { context.Saved(); },
                      .phase = [&](const char* phase) { context.SetPhase(phase); },
                      .stop = context.stop()}));
  // Only rank 0 of the last generation has them.
  if (outcome.weights.empty()) return Status::OK();
  const std::filesystem::path file = std::filesystem::path(config.folder) / kBackgroundFile;
  PT_TRY(WriteBackground(file, PackedRows(inputs.rows, background.data(),
                                          int64_t(background.size()) / inputs.rows.width())));
  return EmitResult(context, file, outcome, rows);
}

}  // namespace protium
