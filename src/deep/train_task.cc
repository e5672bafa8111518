// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/fault.h"
#include "column/metrics.h"
#include "deep/tasks.h"
#include "tensor/predict.h"
#include "tensor/weights.h"
#include "train/trainer.h"

namespace protium {
namespace {

Status UnknownName(const char* kind, const std::string& name, std::vector<std::string> known) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("unknown {} \"{}\"", kind, name),
               .where = kind,
               .fix = Suggest(name, known)});
}

Result<LossSpec> LossOf(const Named& loss) {
  if (loss.name == "huber") {
    HuberOptions options;
    PT_TRY(FieldsFromJson(loss.options, "loss", options));
    return LossSpec{LossKind::kHuber, options.delta};
  }
  if (loss.name == "mse") return LossSpec{LossKind::kMeanSquared};
  if (loss.name == "mae") return LossSpec{LossKind::kMeanAbsolute};
  if (loss.name == "binary_cross_entropy") return LossSpec{LossKind::kBinaryCrossEntropy};
  return UnknownName("loss", loss.name, {"mse", "mae", "huber", "binary_cross_entropy"});
}

Result<OptimizerSpec> OptimizerOf(const Named& optimizer) {
  if (optimizer.name == "adam") {
    AdamOptions o;
    PT_TRY(FieldsFromJson(optimizer.options, "train.optimizer", o));
    return OptimizerSpec{.kind = OptimizerKind::kAdam,
                         .learning_rate = o.learning_rate,
                         .weight_decay = o.weight_decay,
                         .beta1 = o.beta1,
                         .beta2 = o.beta2,
                         .epsilon = o.epsilon};
  }
  if (optimizer.name == "sgd") {
    SgdOptions o;
    PT_TRY(FieldsFromJson(optimizer.options, "train.optimizer", o));
    return OptimizerSpec{.kind = OptimizerKind::kSgd,
                         .learning_rate = o.learning_rate,
                         .weight_decay = o.weight_decay,
                         .momentum = o.momentum};
  }
  return UnknownName("optimizer", optimizer.name, {"adam", "sgd"});
}

// Everything but the rows that decides the weights and which of them are kept.
Json OptionsOf(const TrainConfig& config) {
  const TrainOptions& train = config.train;
  return {{"net", FieldsToJson(config.net)},   {"weight", config.weight},
          {"loss", FieldsToJson(config.loss)}, {"optimizer", FieldsToJson(train.optimizer)},
          {"batch_size", train.batch_size},    {"seed", train.seed},
          {"clip_norm", train.clip_norm},      {"best", train.best}};
}

Result<TrainSpec> SpecOf(const TrainConfig& config, int32_t attempt) {
  const TrainOptions& train = config.train;
  PT_LET(const LossSpec loss, LossOf(config.loss));
  PT_LET(const OptimizerSpec optimizer, OptimizerOf(train.optimizer));
  TrainSpec spec{.epochs = train.epochs,
                 .batch_size = train.batch_size,
                 .seed = train.seed,
                 .clip_norm = train.clip_norm,
                 .threads_per_shard = train.threads_per_shard,
                 .loss = loss,
                 .optimizer = optimizer,
                 .metrics = train.metrics,
                 .best = train.best,
                 .folder = config.folder,
                 .resume = config.resume || attempt > 0,
                 .keep = train.keep,
                 .every_steps = train.checkpoint.every_steps,
                 .every_seconds = train.checkpoint.every_seconds,
                 .options = OptionsOf(config),
                 .stages_sha256 = config.stages_sha256};
  const bool measured = std::ranges::find(spec.metrics, spec.best) != spec.metrics.end();
  if (!measured) spec.metrics.push_back(spec.best);
  PT_TRY(MetricState::Make(spec.metrics));
  return spec;
}

// The rows of one rank, before they go to their shards.
struct Packed {
  std::unique_ptr<Packer> train;
  std::unique_ptr<Packer> held_out;  // nullptr without validation.
};

Result<Packed> PackInput(const TrainConfig& config, BatchStream& input) {
  RowLayout layout = LayoutOf(config.net);
  layout.weight = config.weight;
  const int64_t budget =
      config.memory_bytes > 0 ? config.memory_bytes : std::numeric_limits<int64_t>::max();
  const auto make = [&] {
    return Packer::Make(layout, input.schema(), budget, Refusal::kWhenSharded);
  };
  Packed out;
  PT_LET(out.train, make());
  if (!config.held_out.empty()) {
    PT_LET(out.held_out, make());
  }
  while (true) {
    PT_LET(const auto batch, input.Next());
    if (batch == nullptr) return out;
    PT_TRY(out.train->Append(*batch, config.held_out, false));
    if (out.held_out) PT_TRY(out.held_out->Append(*batch, config.held_out, true));
  }
}

// Collective. Refuses rows of all ranks beyond the budget, with both numbers.
Status CheckMemory(const TrainConfig& config, const Packed& packed, Communicator& communicator) {
  int64_t bytes = int64_t(packed.train->bytes().size());
  if (packed.held_out) bytes += int64_t(packed.held_out->bytes().size());
  PT_TRY(communicator.AllReduce(BufferOf(std::span(&bytes, 1)), Reduce::kSum));
  if (config.memory_bytes == 0 || bytes <= config.memory_bytes) return Status::OK();
  return Fail({.exit = Exit::kNoRoom,
               .what = fmt::format("the training rows take {} bytes and may take {}", bytes,
                                   config.memory_bytes),
               .fix = "train on fewer rows or columns, or on a machine with more memory"});
}

Status CheckOwnCategories(const TrainConfig& config, const ShardedRows& rows) {
  const NetShape shape = ShapeOf(config.net);
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!rows.owns(shard)) continue;
    PT_TRY(CheckCategories(
        {reinterpret_cast<const float*>(rows.shard(shard).data()), rows.rows(shard), shape.rows()},
        shape.cardinalities, rows.layout().categories));
  }
  return Status::OK();
}

struct Rows {
  std::unique_ptr<ShardedRows> train;
  std::unique_ptr<ShardedRows> held_out;
};

// Collective.
Result<Rows> ShardInput(const TrainConfig& config, Packed packed, Communicator& communicator) {
  PT_TRY(CheckMemory(config, packed, communicator));
  const std::vector<int32_t> owners = ShardOwners(config.train.shards, communicator.world());
  Rows out;
  PT_LET(out.train, ShardRows(std::move(packed.train), owners, communicator));
  PT_TRY(CheckOwnCategories(config, *out.train));
  if (!packed.held_out) return out;
  PT_LET(out.held_out, ShardRows(std::move(packed.held_out), owners, communicator));
  PT_TRY(CheckOwnCategories(config, *out.held_out));
  if (out.held_out->total_rows() > 0) return out;
  return Fail({.exit = Exit::kInput,
               .what = "no row falls on the validation side",
               .where = "train.validation",
               .fix = "raise train.validation.share, or set it to 0"});
}

Status EmitResult(TaskContext& context, const TrainOutcome& outcome, const Rows& rows) {
  const TrainResult result{.weights = outcome.weights.string(),
                           .weights_sha256 = outcome.weights_sha256,
                           .steps = outcome.steps,
                           .rows = rows.train->total_rows(),
                           .validation_rows = rows.held_out ? rows.held_out->total_rows() : 0,
                           .best_epoch = outcome.best_epoch,
                           .validation = outcome.validation,
                           .history = outcome.history,
                           .fingerprint = outcome.fingerprint,
                           .rows_identity = outcome.rows_identity,
                           .wait_share = outcome.wait_share};
  arrow::StringBuilder builder;
  PT_TRY(builder.Append(Dump(FieldsToJson(result))));
  PT_LET(const auto column, builder.Finish());
  return context.Emit(
      *arrow::RecordBatch::Make(arrow::schema({arrow::field("json", arrow::utf8())}), 1, {column}));
}

void TellUnusedDevices(TaskContext& context) {
  if (context.devices().empty() || context.rank() != 0) return;
  context.Report({{"event", "warning"},
                  {"message",
                   "training runs on the CPU: the devices that the gang has leased are "
                   "not used yet (gang.gpus_per_worker)"}});
}

}  // namespace

Status RunTrainTask(TaskContext& context, const NetTable& nets) {
  TrainConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(const TrainSpec spec, SpecOf(config, context.attempt()));
  PT_LET(Communicator * communicator, context.communicator());
  TellUnusedDevices(context);
  if (communicator->world() > config.train.shards) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} workers cannot share {} shards", communicator->world(),
                                     config.train.shards),
                 .where = "train.shards",
                 .fix = fmt::format("set train.shards = {}", communicator->world())});
  }
  PT_LET(const auto net, BuildNet(nets, config.net.net.name, ShapeOf(config.net)));
  PT_LET(const auto weights, Weights::Make(*net));
  PT_LET(Packed packed, PackInput(config, context.input()));
  PT_LET(const Rows rows, ShardInput(config, std::move(packed), *communicator));
  PT_LET(const TrainOutcome outcome,
         Train(spec, {.net = *net,
                      .weights = *weights,
                      .rows = *rows.train,
                      .validation = rows.held_out.get(),
                      .communicator = *communicator,
                      .report = [&](const Json& event) { context.Report(event); },
                      .stop = context.stop()}));
  return context.rank() == 0 ? EmitResult(context, outcome, rows) : Status::OK();
}

}  // namespace protium
