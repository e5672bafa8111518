// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"
#include "events/events.h"
#include "metrics/metrics.h"
#include "model/background.h"
#include "model/net_rows.h"
#include "model/row_graph.h"
#include "protium/events.h"
#include "tasks/choose_background.h"
#include "tasks/gang_rows.h"
#include "tasks/rank_ids.h"
#include "tasks/rank_rows.h"
#include "tasks/task_device.h"
#include "tasks/tasks.h"
#include "tensor/weights.h"
#include "train/served_tables.h"
#include "train/trainer.h"

// The task "train", one rank of a gang. In order, all of it collective:
// 1. the config becomes a TrainSpec and a net on the rank's device; any error in it fails on all
//    ranks alike;
// 2. this rank gets the rows of its shards, training and held-out rows separately (rank_rows.h),
//    and learns which ids all of them have (rank_ids.h);
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

// What the packed rows of all ranks leave of the memory for rows. Those on the disk are read
// through all of it.
int64_t MemoryLeft(const TrainConfig& config, const RankRows& rows) {
  if (config.memory_bytes == 0) return std::numeric_limits<int64_t>::max();
  if (rows.disk_bytes > 0) return 0;
  const auto bytes = [](const ShardedRows* of) {
    return of == nullptr ? 0 : of->total_rows() * of->schema().width();
  };
  const int64_t packed = bytes(rows.train.get()) + bytes(rows.held_out.get());
  return std::max<int64_t>(0, config.memory_bytes - packed);
}

// Collective.
Result<std::unique_ptr<ServedTables>> ServeTables(const TaskRows& all, const TrainConfig& config,
                                                  const NetInputs& inputs, const RankRows& rows,
                                                  Communicator& communicator) {
  const auto make = [&all, &config, inputs](std::shared_ptr<const IdTables> ids) {
    NetInputs own = inputs;
    own.ids = std::move(ids);
    return BuildNetThere(all.nets, config.net.net, own);
  };
  return ServedTables::Make({.servers = config.servers,
                             .all = inputs.ids,
                             .make = make,
                             .optimizer = config.train.optimizer,
                             .batch_size = config.train.batch_size,
                             .average = config.train.average,
                             .memory_bytes = MemoryLeft(config, rows),
                             .disk = ScratchFolder(config)},
                            *rows.train, communicator);
}

// Rank 0 says where the rows are, unless it is memory.
void ReportPlace(const TrainConfig& config, const ServedTables& served, TaskContext& context) {
  if (served.disk().empty() || context.rank() > 0) return;
  context.Send(EventToJson(Note{fmt::format(
      "{} of rows of ids, with what the optimizer knows of them, do not fit "
      "engine.rows_memory ({}): {} keep{} them on the disk, in {}",
      BytesText(served.bytes()), BytesText(config.memory_bytes), Counted(config.servers, "server"),
      config.servers == 1 ? "s" : "", served.disk().string())}));
}

std::string DescribeIds(const StartedIds& ids) {
  std::string text =
      fmt::format("ids: {} go on with the rows of the model, {} begin", ids.continued, ids.begun);
  if (ids.kept > 0) text += fmt::format(", {} of the model stay unread", ids.kept);
  if (ids.expired > 0) text += fmt::format(", {} have expired", ids.expired);
  return text;
}

// Collective: the ids of the rows and of the model that training begins with.
Result<std::shared_ptr<const IdTables>> FindIds(const ShardedRows& rows, const TrainConfig& config,
                                                TaskContext& context, Communicator* communicator) {
  const bool all_here = MembershipOf(context) != nullptr;
  PT_LET(auto ids, CollectIds(rows, uint64_t(config.train.seed), all_here, communicator));
  PT_LET(const StartedIds started,
         WithStart(std::move(ids), config.train.from, all_here ? nullptr : communicator));
  const StartOptions& from = config.train.from;
  if (context.rank() == 0 && !from.weights.empty() && from.parameters.empty()) {
    context.Send(EventToJson(Note{DescribeIds(started)}));
  }
  return started.tables;
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
  PT_LET(Communicator * communicator, CommunicatorOf(context));
  PT_TRY(CheckShards(config, context.world() - config.servers));
  NetInputs inputs = MakeNetInputs(config);
  context.SetPhase("building the net");
  inputs.bfloat16 = config.train.precision == Precision::kBfloat16;
  inputs.threads = config.train.threads_per_shard;
  if (all.prepare) PT_TRY(all.prepare(inputs.threads));
  PT_LET(inputs.device, ChooseDevice(context, config.device, all));
  // A net of ids depends on which the rows have; any other is refused before rows are packed.
  const bool by_id = inputs.rows.Find(kIdsField) != nullptr;
  BuiltNet built;
  std::unique_ptr<ServedTables> served;
  if (!by_id) {
    PT_LET(built, BuildWeighted(all, config, inputs));
  }
  context.SetPhase("packing rows");
  PT_LET(const RankRows rows, LoadRankRows(config, inputs, context));
  const bool all_here = MembershipOf(context) != nullptr;
  if (by_id) {
    context.SetPhase("collecting ids");
    PT_LET(inputs.ids, FindIds(*rows.train, config, context, communicator));
    if (config.servers > 0) {
      PT_LET(served, ServeTables(all, config, inputs, rows, *communicator));
      ReportPlace(config, *served, context);
    } else {
      PT_LET(built, BuildWeighted(all, config, inputs));
    }
  }
  PT_LET(const std::vector<std::byte> background,
         ChooseBackground(*rows.train, all_here, *communicator));
  PT_LET(const TrainOutcome outcome,
         Train(spec, {.net = served ? served->net() : *built.net,
                      .weights = served ? served->weights() : *built.weights,
                      .rows = *rows.train,
                      .validation = rows.held_out.get(),
                      .packed = rows.packed,
                      .rounds_weights = IsRunAsGraph(config.net.net.name),
                      .communicator = communicator,
                      .membership = MembershipOf(context),
                      .served = served.get(),
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
