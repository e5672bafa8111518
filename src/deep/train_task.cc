// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/fault.h"
#include "deep/rank_rows.h"
#include "deep/task_device.h"
#include "deep/tasks.h"
#include "metrics/metrics.h"
#include "tensor/predict.h"
#include "tensor/weights.h"
#include "train/trainer.h"

// The task "train", one rank of a gang. In order, all of it collective but the second step:
// 1. the config becomes a TrainSpec and a net on the rank's device; whatever is wrong in it fails
// on
//    all ranks alike;
// 2. this rank packs its partition into rows, training and held-out ones apart;
// 3. unseen classes are summed over ranks, then rows travel to the owners of their shards;
// 4. in a gang that bends, rows go into the gang's keeping (rank_rows.h), where a newcomer, which
//    skips 2 and 3, finds them;
// 5. Train() (train/trainer.h) runs the epochs; rank 0 emits the result as one row of JSON.

namespace protium {
namespace {

// Everything that decides the weights, or which of them are kept, apart from the rows. A checkpoint
// stores it, and a run with other options is refused when it resumes. The start counts by the hash
// of its weights, since the path of the copy differs from run folder to run folder.
Json CollectOptions(const TrainConfig& config) {
  Json options = FieldsThatDecide(config.train);
  options["net"] = FieldsToJson(config.net);
  options["weight"] = config.weight;
  options["loss"] = FieldsToJson(config.loss);
  if (!config.train.from.sha256.empty()) {
    options["from"] = {{"sha256", config.train.from.sha256},
                       {"parameters", config.train.from.parameters}};
  }
  return options;
}

Result<TrainSpec> MakeTrainSpec(const TrainConfig& config, const TorchRows& rows, int32_t attempt) {
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
                 .stages_sha256 = config.stages_sha256};
  // The metric that chooses the best epoch must be measured even where it is not listed.
  std::vector<std::string>& metrics = spec.train.metrics;
  const bool measured = std::ranges::find(metrics, spec.train.best) != metrics.end();
  if (!measured) metrics.push_back(spec.train.best);
  PT_TRY(MetricState::Make(metrics, spec.target.kind, spec.own_metrics));
  return spec;
}

// The rows of one rank, before they go to their shards.
struct Packed {
  std::unique_ptr<Packer> train;
  std::unique_ptr<Packer> held_out;  // nullptr without validation.
  int64_t unseen = 0;                // Held out, of a class that was never learned.
};

// Divides the rows of a batch between training and validation, by a boolean column. Held-out rows
// of a class that no training row has are on neither side: they are counted, and CountUnseen()
// decides about them.
class Sides {
 public:
  explicit Sides(const TrainConfig& config)
      : held_out_(config.held_out), classes_(OfClasses(config.net.objective.kind)) {}

  Status Choose(const arrow::RecordBatch& batch) {
    training_.clear();
    validation_.clear();
    PT_LET(const auto* held_out, FindColumn<arrow::BooleanArray>(batch, held_out_));
    PT_LET(const auto* classes,
           FindColumn<arrow::Int64Array>(batch, classes_ ? kClassColumn : std::string()));
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      const bool out = held_out != nullptr && held_out->Value(i);
      const bool unseen = out && classes != nullptr && classes->IsValid(i) && classes->Value(i) < 0;
      unseen_ += unseen ? 1 : 0;
      if (!unseen) (out ? validation_ : training_).push_back(int32_t(i));
    }
    return Status::OK();
  }

  const std::vector<int32_t>& training() const { return training_; }
  const std::vector<int32_t>& validation() const { return validation_; }
  int64_t unseen() const { return unseen_; }

 private:
  // nullptr where no column is named.
  template <class Array>
  static Result<const Array*> FindColumn(const arrow::RecordBatch& batch, const std::string& name) {
    if (name.empty()) return static_cast<const Array*>(nullptr);
    const auto column = batch.GetColumnByName(name);
    const bool marks = std::is_same_v<Array, arrow::BooleanArray>;
    if (column == nullptr || column->type_id() != Array::TypeClass::type_id ||
        (marks && column->null_count() > 0)) {
      return Fail({.exit = Exit::kBug,
                   .what = fmt::format("the training rows have no complete column {}", name)});
    }
    return static_cast<const Array*>(column.get());
  }

  std::string held_out_;
  bool classes_;
  std::vector<int32_t> training_;
  std::vector<int32_t> validation_;
  int64_t unseen_ = 0;
};

// A rank's part of the memory for rows, which training and held-out ones share, and where those
// beyond it go.
RowRoom RoomOfRank(const TrainConfig& config, int32_t world) {
  if (config.memory_bytes == 0) return {};
  RowRoom room(config.memory_bytes / world);
  room.disk = config.scratch;
  std::error_code none;
  // On other machines than the driver's the worker alone knows its disks.
  if (room.disk.empty()) room.disk = std::filesystem::temp_directory_path(none);
  return room;
}

Result<Packed> PackInput(const TrainConfig& config, const RowSchema& rows, const RowRoom& room,
                         BatchStream& input) {
  const auto make = [&] {
    // NULLs and infinities are refused when rows are sharded, not at once: then all ranks fail with
    // one count for the whole gang instead of one rank with its own.
    return Packer::Make(rows, input.schema(), room, Refusal::kWhenSharded);
  };
  Packed out;
  PT_LET(out.train, make());
  if (!config.held_out.empty()) {
    PT_LET(out.held_out, make());
  }
  Sides sides(config);
  while (true) {
    PT_LET(const auto batch, input.Next());
    out.unseen = sides.unseen();
    if (batch == nullptr) return out;
    if (!out.held_out) {
      PT_TRY(out.train->Append(*batch));
      continue;
    }
    PT_TRY(sides.Choose(*batch));
    PT_TRY(out.train->Append(*batch, &sides.training()));
    PT_TRY(out.held_out->Append(*batch, &sides.validation()));
  }
}

// Collective. The number of validation rows of unseen classes over all ranks, or a refusal of them,
// as unseen_class says.
Result<int64_t> CountUnseen(const TrainConfig& config, int64_t own, Communicator& communicator) {
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&own, 1)), Reduce::kSum));
  if (own == 0 || config.unseen_class == UnseenClass::kIgnore) return own;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} validation rows have classes that no training row has", own),
               .where = "label " + config.net.objective.labels.front().column,
               .fix = "set unseen_class = \"ignore\" to leave them out, or hold out other rows"});
}

// A category beyond the table would make the kernels read outside of it. Checked once here, so that
// no step has to. 4096 rows at a time keep the blocks in the cache.
Status CheckOwnCategories(const NetInputs& inputs, const ShardedRows& rows) {
  constexpr int64_t kBlockRows = 4096;
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!rows.owns(shard)) continue;
    const auto scan = rows.Scan(shard);
    while (true) {
      PT_LET(const auto block, scan->Next(kBlockRows));
      if (block.empty()) break;
      const int64_t count = int64_t(block.size()) / rows.schema().width();
      PT_TRY(CheckCategories({inputs.rows, block.data(), count}, inputs.cardinalities));
    }
  }
  return Status::OK();
}

// Collective. How many bytes of rows lie on disks; rank 0 tells it.
Result<int64_t> CountOnDisk(const TrainConfig& config, const RankRows& rows, TaskContext& context,
                            Communicator& communicator) {
  int64_t bytes = rows.train->disk_bytes();
  if (rows.held_out) bytes += rows.held_out->disk_bytes();
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&bytes, 1)), Reduce::kSum));
  if (bytes == 0 || context.rank() > 0) return bytes;
  context.Report({{"event", "note"},
                  {"message", fmt::format("{} MiB of packed rows do not fit engine.rows_memory ({} "
                                          "MiB): they are read from disk in every epoch, {}",
                                          bytes >> 20, config.memory_bytes >> 20,
                                          config.scratch.empty() ? "in workers' temporary folders"
                                                                 : "in " + config.scratch)}});
  return bytes;
}

// Collective. Turns packed rows into shards, after which every rank holds those that it owns.
Result<RankRows> ShardInput(const TrainConfig& config, const NetInputs& inputs, Packed packed,
                            Communicator& communicator) {
  const std::vector<int32_t> owners = ShardOwners(config.train.shards, communicator.world());
  RankRows out;
  PT_LET(out.unseen, CountUnseen(config, packed.unseen, communicator));
  PT_LET(out.train, ShardRows(std::move(packed.train), owners, communicator));
  PT_TRY(CheckOwnCategories(inputs, *out.train));
  if (!packed.held_out) return out;
  PT_LET(out.held_out, ShardRows(std::move(packed.held_out), owners, communicator));
  PT_TRY(CheckOwnCategories(inputs, *out.held_out));
  if (out.held_out->total_rows() > 0) return out;
  return Fail({.exit = Exit::kInput,
               .what = "no row is held out for validation",
               .where = "train.validation",
               .fix = "raise train.validation.share, or set it to 0"});
}

Status EmitResult(TaskContext& context, const TrainOutcome& outcome, const RankRows& rows) {
  const TrainResult result{.weights = outcome.weights.string(),
                           .weights_sha256 = outcome.weights_sha256,
                           .steps = outcome.steps,
                           .rows = rows.train->total_rows(),
                           .validation_rows = rows.held_out ? rows.held_out->total_rows() : 0,
                           .unseen_rows = rows.unseen,
                           .disk_bytes = rows.disk_bytes,
                           .best_epoch = outcome.best_epoch,
                           .validation = outcome.validation,
                           .decision = outcome.decision,
                           .diagnostics = outcome.diagnostics,
                           .importance = outcome.importance,
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

// Collective, but for a newcomer. The rows that this rank learns from; `gang` becomes nullptr where
// they cannot be shared.
Result<RankRows> LoadRows(const TrainConfig& config, const NetInputs& inputs, TaskContext& context,
                          Membership*& gang) {
  if (gang != nullptr && gang->newcomer()) return JoinRankRows(inputs.rows, *gang);
  PT_LET(Communicator * communicator, context.communicator());
  const RowRoom room = RoomOfRank(config, communicator->world());
  PT_LET(Packed packed, PackInput(config, inputs.rows, room, context.input()));
  PT_LET(RankRows rows, ShardInput(config, inputs, std::move(packed), *communicator));
  PT_LET(rows.disk_bytes, CountOnDisk(config, rows, context, *communicator));
  if (gang == nullptr || rows.disk_bytes == 0) {
    return gang != nullptr ? ShareRankRows(std::move(rows), *gang) : std::move(rows);
  }
  gang = nullptr;
  if (context.rank() == 0) {
    context.Report({{"event", "note"},
                    {"message", "rows on the disk stay with their rank: the gang does not bend, and "
                                "starts again when a worker dies"}});
  }
  return rows;
}

}  // namespace

Status RunTrainTask(TaskContext& context, const TorchRows& known) {
  TrainConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(const TorchRows all, WithExtensions(known, config.extensions));
  PT_LET(const TrainSpec spec, MakeTrainSpec(config, all, context.attempt()));
  PT_LET(Communicator * communicator, context.communicator());
  if (context.world() > config.train.shards) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} workers cannot share {} shards", context.world(),
                                     config.train.shards),
                 .where = "train.shards",
                 .fix = fmt::format("set train.shards = {}", context.world())});
  }
  NetInputs inputs = MakeNetInputs(config.net, config.weight);
  inputs.bfloat16 = config.train.precision == Precision::kBfloat16;
  PT_LET(inputs.device, ChooseDevice(context, config.device));
  PT_LET(const auto net, BuildNetThere(all.nets, config.net.net, inputs));
  PT_LET(const auto weights, Weights::Make(*net, inputs.device));
  Membership* gang = context.membership();
  PT_LET(const RankRows rows, LoadRows(config, inputs, context, gang));
  PT_LET(const TrainOutcome outcome,
         Train(spec, {.net = *net,
                      .weights = *weights,
                      .rows = *rows.train,
                      .validation = rows.held_out.get(),
                      .communicator = communicator,
                      .membership = gang,
                      .report = [&](const Json& event) { context.Report(event); },
                      .stop = context.stop()}));
  // The last generation's rank 0 has them.
  return outcome.weights.empty() ? Status::OK() : EmitResult(context, outcome, rows);
}

}  // namespace protium
