// SPDX-License-Identifier: Apache-2.0
#include "rows/packer.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/fault.h"
#include "base/nearest.h"

namespace protium {
namespace {

// The index that sorts rows has 32 bits.
constexpr int64_t kMostRows = int64_t{1} << 32;
// A larger budget is none.
constexpr int64_t kMostReserved = int64_t{1} << 40;

Status WrongType(const std::string& name, const arrow::DataType& type, const char* must) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("column {} has type {} and cannot be packed", name, type.ToString()),
       .where = "column " + name,
       .why = must,
       .fix = "cast it in the query"});
}

// Makes room for `rows` of `width` bytes, and for the `most` there may be if that is known.
Status GrowTo(int64_t rows, int64_t most, int64_t width, RowMemory& memory) {
  if (rows * width <= memory.capacity()) return Status::OK();
  if (memory.capacity() == 0 && rows <= most && memory.Reserve(most * width).ok())
    return Status::OK();
  return memory.Reserve(std::max(rows * width, 2 * memory.capacity()));
}

void Scatter(const Tile& tile, int64_t count, int64_t width, std::byte* out) {
  for (int64_t i = 0; i < count; ++i, out += width) {
    std::memcpy(out, &tile.bits[size_t(i)], sizeof(uint32_t));
  }
}

}  // namespace

RowPacker::RowPacker(RowLayout layout, SchemaPtr schema, int64_t budget_bytes, Refusal refusal)
    : layout_(std::move(layout)),
      schema_(std::move(schema)),
      budget_bytes_(budget_bytes),
      refusal_(refusal) {
  refused_.budget_bytes = budget_bytes;
}

Status RowPacker::Resolve() {
  if (!std::isfinite(layout_.label_mean) || !std::isfinite(layout_.label_deviation) ||
      layout_.label_deviation == 0) {
    return Status::Invalid("labels cannot be scaled by mean ", layout_.label_mean,
                           " and deviation ", layout_.label_deviation);
  }
  for (const std::string& name : layout_.numeric) {
    PT_TRY(AddNumber(name, {}));
    slots_.back().nan_allowed = layout_.allow_nan;
  }
  const CellScale label{true, layout_.label_mean, layout_.label_deviation};
  if (!layout_.label.empty()) PT_TRY(AddNumber(layout_.label, label));
  if (!layout_.label.empty()) slots_.back().offset = 4 * int64_t(layout_.numeric.size());
  if (!layout_.weight.empty()) PT_TRY(AddNumber(layout_.weight, {}));
  if (!layout_.weight.empty()) slots_.back().offset = 4 * (layout_.floats() - 1);
  for (size_t i = 0; i < layout_.categories.size(); ++i) {
    PT_TRY(AddCode(layout_.categories[i]));
    slots_.back().offset = 4 * (layout_.floats() + int64_t(i));
  }
  return Status::OK();
}

Status RowPacker::AddNumber(const std::string& name, const CellScale& scale) {
  PT_LET(const int column, Find(name));
  const arrow::DataType& type = *schema_->field(column)->type();
  Slot slot{.name = name, .column = column, .offset = 4 * int64_t(slots_.size()), .scale = scale};
  slot.read = NumberReader(type.id(), scale.scaled);
  if (slot.read == nullptr) return WrongType(name, type, "it must be a number or a boolean");
  slots_.push_back(std::move(slot));
  return Status::OK();
}

Status RowPacker::AddCode(const std::string& name) {
  PT_LET(const int column, Find(name));
  const arrow::DataType& type = *schema_->field(column)->type();
  Slot slot{.name = name, .column = column, .read = CodeReader(type.id())};
  if (slot.read == nullptr) return WrongType(name, type, "a category must be a whole number");
  slots_.push_back(std::move(slot));
  return Status::OK();
}

Result<int> RowPacker::Find(const std::string& name) const {
  const int column = schema_->GetFieldIndex(name);
  if (column >= 0) return column;
  const bool twice = schema_->GetAllFieldIndices(name).size() > 1;
  const std::vector<std::string> known = schema_->field_names();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} column {} among the rows to pack",
                                   twice ? "more than one" : "no", name),
               .where = "column " + name,
               .fix = twice ? std::string() : Suggest(name, known)});
}

Status RowPacker::Append(const arrow::RecordBatch& batch, const std::string& only, bool value) {
  if (batch.schema() != schema_ && !batch.schema()->Equals(*schema_, false)) {
    return Status::Invalid("a batch of ", batch.schema()->ToString(), " among rows of ",
                           schema_->ToString());
  }
  std::vector<int32_t> list;
  if (!only.empty()) {
    PT_LET(list, Select(batch, only, value));
  }
  const int64_t count = only.empty() ? batch.num_rows() : int64_t(list.size());
  refused_.rows += count;
  refused_.needed_bytes += count * layout_.width();
  if (refused_.needed_bytes <= budget_bytes_) PT_TRY(Grow(rows_ + count));
  for (Slot& slot : slots_) slot.cells = batch.column_data(slot.column);
  for (int64_t at = 0; refused_.needed_bytes <= budget_bytes_ && at < count; at += kTileRows) {
    const int64_t tile = std::min(kTileRows, count - at);
    const Picked picked{only.empty() ? nullptr : list.data() + at, at, tile};
    std::byte* out = memory_.data() + rows_ * layout_.width();
    PackTile(picked, out);
    KeysOf(out, layout_.width(), keys_.As<RowKey>(rows_ + tile).last(size_t(tile)));
    rows_ += tile;
  }
  for (Slot& slot : slots_) slot.cells.reset();
  seen_rows_ += batch.num_rows();
  return refusal_ == Refusal::kAtOnce ? refused_.ToStatus() : Status::OK();
}

Result<std::vector<int32_t>> RowPacker::Select(const arrow::RecordBatch& batch,
                                               const std::string& only, bool value) const {
  PT_LET(const int column, Find(only));
  const arrow::Array& array = *batch.column(column);
  if (array.type_id() != arrow::Type::BOOL) {
    return WrongType(only, *array.type(), "rows are chosen by a boolean column");
  }
  if (array.null_count() > 0) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("column {} chooses rows and is NULL in {} of {}", only,
                                     array.null_count(), array.length()),
                 .where = "column " + only});
  }
  const auto& flags = static_cast<const arrow::BooleanArray&>(array);
  std::vector<int32_t> list;
  list.reserve(size_t(batch.num_rows()));
  for (int64_t i = 0; i < flags.length(); ++i) {
    if (flags.Value(i) == value) list.push_back(int32_t(i));
  }
  return list;
}

Status RowPacker::Grow(int64_t rows) {
  if (rows >= kMostRows) {
    return Fail(
        {.exit = Exit::kNoRoom,
         .what = fmt::format("{} rows on one rank; at most {} are possible", rows, kMostRows - 1),
         .fix = "use more workers"});
  }
  // Moving large pages splits them: the first reservation is for all there may ever be, where that
  // is known and the system lets us.
  const int64_t most = budget_bytes_ <= kMostReserved ? budget_bytes_ / layout_.width() : 0;
  PT_TRY(GrowTo(rows, most, layout_.width(), memory_));
  return GrowTo(rows, most, sizeof(RowKey), keys_);
}

void RowPacker::PackTile(const Picked& picked, std::byte* out) {
  Tile tile;
  for (const Slot& slot : slots_) {
    slot.read(*slot.cells, picked, slot.scale, tile);
    const uint64_t nans = slot.nan_allowed ? 0 : tile.nans;
    if ((tile.nulls | nans | tile.infinities | tile.wide) != 0) [[unlikely]] {
      Note(slot, picked, tile);
    }
    Scatter(tile, picked.count, layout_.width(), out + slot.offset);
  }
  FillConstants(out, picked.count);
}

void RowPacker::Note(const Slot& slot, const Picked& picked, const Tile& tile) {
  Count(slot, "NULL", picked, tile.nulls);
  if (!slot.nan_allowed) Count(slot, "NaN", picked, tile.nans);
  Count(slot, "not finite as float32", picked, tile.infinities);
  Count(slot, "beyond int32", picked, tile.wide);
}

void RowPacker::Count(const Slot& slot, const char* reason, const Picked& picked, uint64_t mask) {
  if (mask == 0) return;
  RefusedCells& cells = refused_.Of(slot.name, reason);
  if (cells.count == 0) {
    const int64_t i = std::countr_zero(mask);
    cells.first_row = 1 + seen_rows_ + (picked.list != nullptr ? picked.list[i] : picked.first + i);
  }
  cells.count += std::popcount(mask);
}

void RowPacker::FillConstants(std::byte* out, int64_t rows) const {
  Tile tile;
  if (layout_.label.empty()) {
    tile.bits.fill(0);
    Scatter(tile, rows, layout_.width(), out + 4 * layout_.numeric.size());
  }
  if (layout_.weight.empty()) {
    tile.bits.fill(std::bit_cast<uint32_t>(1.0f));
    Scatter(tile, rows, layout_.width(), out + 4 * (layout_.floats() - 1));
  }
}

Result<std::unique_ptr<Packer>> Packer::Make(const RowLayout& layout, const SchemaPtr& schema,
                                             int64_t budget_bytes, Refusal refusal) {
  auto packer = std::make_unique<RowPacker>(layout, schema, budget_bytes, refusal);
  PT_TRY(packer->Resolve());
  return std::unique_ptr<Packer>(std::move(packer));
}

}  // namespace protium
