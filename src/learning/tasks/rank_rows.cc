// SPDX-License-Identifier: Apache-2.0
#include "tasks/rank_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/units.h"
#include "metrics/seasons.h"
#include "os/file.h"
#include "os/publish.h"
#include "protium/events.h"
#include "rows/kept_rows.h"
#include "tensor/predict.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// The rows of one rank, before they go to their shards.
struct Packed {
  std::unique_ptr<Packer> train;
  std::unique_ptr<Packer> held_out;  // nullptr without validation.
  int64_t unseen = 0;                // Held out, of a class that was never learned.
};

// Divides the rows of a batch between training and validation, by a boolean column. Held-out rows
// of a class that no training row has are on neither side: they are counted, and CountUnseen()
// decides about them.
class RowSides {
 public:
  explicit RowSides(const TrainConfig& config)
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
  // nullptr if no column is named.
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

// A rank's part of the memory for rows, which training and held-out rows share, and where rows
// beyond it go.
RowRoom RoomOfRank(const TrainConfig& config, int32_t world) {
  if (config.memory_bytes == 0) return {};
  RowRoom room(config.memory_bytes / (world - config.servers));
  room.disk = ScratchFolder(config);
  return room;
}

Result<Packed> PackInput(const TrainConfig& config, const RowSchema& rows, const RowRoom& room,
                         BatchStream& input) {
  const auto make = [&](const RowSchema& schema) {
    // NULLs and infinities are refused when rows are sharded, not at once, so that all ranks fail
    // with one count for the whole gang instead of one rank with its own.
    return Packer::Make(schema, input.schema(), room, Refusal::kWhenSharded);
  };
  Packed out;
  PT_LET(out.train, make(rows));
  if (!config.held_out.empty()) {
    PT_LET(out.held_out, make(WithOwnLabels(rows, ScaleColumns(config.seasons))));
  }
  RowSides sides(config);
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

// Collective. Returns the number of validation rows of unseen classes over all ranks, or refuses
// them, depending on unseen_class.
Result<int64_t> CountUnseen(const TrainConfig& config, int64_t own, Communicator& communicator) {
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&own, 1)), Op::kSum));
  if (own == 0 || config.unseen_class == UnseenClass::kIgnore) return own;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} validation rows have classes that no training row has", own),
               .where = "label " + config.net.objective.labels.front().column,
               .fix = "set unseen_class = \"ignore\" to leave them out, or hold out other rows"});
}

// Passes a rank's rows to `visit`, Result<bool>(const PackedRows&), until it returns false. Blocks
// of 4096 rows stay in the cache.
template <class Visit>
Status VisitOwnRows(const ShardedRows& rows, Visit visit) {
  constexpr int64_t kBlockRows = 4096;
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!rows.owns(shard)) continue;
    const auto scan = rows.Scan(shard);
    while (true) {
      PT_LET(const auto block, scan->Next(kBlockRows));
      if (block.empty()) break;
      const int64_t count = int64_t(block.size()) / rows.schema().width();
      PT_LET(const bool more, visit(PackedRows(rows.schema(), block.data(), count)));
      if (!more) return Status::OK();
    }
  }
  return Status::OK();
}

// With a category beyond the table the kernels would read outside of it. Checked once here, so that
// no step has to.
Status CheckOwnCategories(const NetInputs& inputs, const ShardedRows& rows) {
  return VisitOwnRows(rows, [&](const PackedRows& block) -> Result<bool> {
    PT_TRY(CheckCategories(block, inputs.cardinalities));
    return true;
  });
}

// Whether any of a rank's rows has a weight above 0.
Result<bool> HasWeight(const ShardedRows& rows) {
  bool found = false;
  PT_TRY(VisitOwnRows(rows, [&](const PackedRows& block) -> Result<bool> {
    const FieldRows<float> weights = block.floats(kWeightField);
    for (int64_t i = 0; i < block.size() && !found; ++i) found = *weights.at(i) > 0;
    return !found;
  }));
  return found;
}

// Collective. If all weights were 0, training would leave the weights of the net as they were
// drawn, and metrics would have no value.
Status CheckRowWeights(const TrainConfig& config, const ShardedRows& rows, const char* which,
                       Communicator& communicator) {
  if (config.weight.empty() || rows.total_rows() == 0) return Status::OK();
  PT_LET(const bool own, HasWeight(rows));
  int64_t having = own ? 1 : 0;
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&having, 1)), Op::kSum));
  if (having > 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column {} is 0 in all {} {} rows, from the first row on",
                                   config.weight, rows.total_rows(), which),
               .where = "weight",
               .why = "it says how much a row counts, and none would",
               .fix = "choose another column of weights, or other rows"});
}

// Collective. Returns how many bytes of rows are on disks; rank 0 reports it.
Result<int64_t> CountOnDisk(const TrainConfig& config, const RankRows& rows, TaskContext& context,
                            Communicator& communicator) {
  int64_t bytes = rows.train->disk_bytes();
  if (rows.held_out) bytes += rows.held_out->disk_bytes();
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&bytes, 1)), Op::kSum));
  if (bytes == 0 || context.rank() > 0) return bytes;
  context.Report(Note{fmt::format(
      "{} of packed rows do not fit engine.rows_memory ({}): "
      "they are read from disk in every epoch, {}",
      BytesText(bytes), BytesText(config.memory_bytes),
      config.scratch.empty() ? "in workers' temporary folders" : "in " + config.scratch)});
  return bytes;
}

std::vector<int32_t> OwnersOf(const TrainConfig& config, const Communicator& communicator) {
  return ShardOwners(config.train.shards, communicator.world(), config.servers);
}

// Collective. Turns packed rows into shards; afterwards every rank holds those that it owns.
Result<RankRows> ShardInput(const TrainConfig& config, const NetInputs& inputs, Packed packed,
                            Communicator& communicator) {
  const std::vector<int32_t> owners = OwnersOf(config, communicator);
  RankRows out;
  PT_LET(out.unseen, CountUnseen(config, packed.unseen, communicator));
  PT_LET(out.train, ShardRows(std::move(packed.train), owners, communicator));
  PT_TRY(CheckOwnCategories(inputs, *out.train));
  PT_TRY(CheckRowWeights(config, *out.train, "training", communicator));
  if (!packed.held_out) return out;
  PT_LET(out.held_out, ShardRows(std::move(packed.held_out), owners, communicator));
  PT_TRY(CheckOwnCategories(inputs, *out.held_out));
  PT_TRY(CheckRowWeights(config, *out.held_out, "validation", communicator));
  if (out.held_out->total_rows() > 0) return out;
  return Fail({.exit = Exit::kInput,
               .what = "no row is held out for validation",
               .where = "train.validation",
               .fix = "raise train.validation.share or set it to 0; or name another column"});
}

// The file with RankRows::unseen, next to the folders of stored rows.
constexpr const char* kUnseenFile = "unseen";

// Where the rows lie until they are complete: two gangs may pack the same ones at the same time.
fs::path DraftOf(const TrainConfig& config) {
  return config.shared.folder + "-" + Sha256Hex(config.folder).substr(0, 16);
}

// Whether all ranks have succeeded.
Result<bool> AllHave(const Status& own, Communicator& communicator) {
  int64_t failed = own.ok() ? 0 : 1;
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&failed, 1)), Op::kSum));
  return failed == 0;
}

Status WriteShared(const RankRows& rows, bool leads, const fs::path& draft) {
  PT_TRY(KeepRows(*rows.train, leads, draft / "train"));
  if (rows.held_out) PT_TRY(KeepRows(*rows.held_out, leads, draft / "held_out"));
  return leads ? WriteFile(draft / kUnseenFile, std::to_string(rows.unseen)) : Status::OK();
}

// Collective. Stores the rows for later trainings. Errors do not affect this one: the next training
// then packs its rows itself.
Status Share(const TrainConfig& config, const RankRows& rows, Communicator& communicator) {
  const auto bytes = [](const ShardedRows* of) {
    return of == nullptr ? 0 : of->total_rows() * of->schema().width();
  };
  const int64_t all = bytes(rows.train.get()) + bytes(rows.held_out.get());
  if (config.shared.folder.empty() || rows.disk_bytes > 0 || all > config.shared.most_bytes) {
    return Status::OK();
  }
  const bool leads = communicator.rank() == 0;
  const fs::path draft = DraftOf(config);
  PT_LET(const bool written, AllHave(WriteShared(rows, leads, draft), communicator));
  if (!leads) return Status::OK();
  std::error_code ignored;
  if (!written || !PublishFolder(draft, config.shared.folder).ok()) fs::remove_all(draft, ignored);
  return Status::OK();
}

Result<RankRows> OpenShared(const TrainConfig& config, const NetInputs& inputs,
                            Communicator& communicator) {
  const std::vector<int32_t> owners = OwnersOf(config, communicator);
  const fs::path folder = config.shared.folder;
  RankRows out{.packed = false};
  PT_LET(out.train, OpenKeptRows(inputs.rows, owners, communicator.rank(), folder / "train"));
  if (!config.held_out.empty()) {
    PT_LET(out.held_out, OpenKeptRows(WithOwnLabels(inputs.rows, ScaleColumns(config.seasons)),
                                      owners, communicator.rank(), folder / "held_out"));
  }
  PT_LET(const std::string unseen, ReadFile(folder / kUnseenFile));
  out.unseen = std::strtoll(unseen.c_str(), nullptr, 10);
  return out;
}

}  // namespace

fs::path ScratchFolder(const TrainConfig& config) {
  if (!config.scratch.empty()) return config.scratch;
  std::error_code none;
  return fs::temp_directory_path(none);
}

Result<RankRows> MakeRankRows(const TrainConfig& config, const NetInputs& inputs,
                              TaskContext& context, Communicator& communicator) {
  if (config.shared.there) return OpenShared(config, inputs, communicator);
  const RowRoom room = RoomOfRank(config, communicator.world());
  PT_LET(Packed packed, PackInput(config, inputs.rows, room, context.input()));
  PT_LET(RankRows rows, ShardInput(config, inputs, std::move(packed), communicator));
  PT_LET(rows.disk_bytes, CountOnDisk(config, rows, context, communicator));
  PT_TRY(Share(config, rows, communicator));
  return rows;
}

}  // namespace protium
