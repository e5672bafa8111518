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

// A larger budget is none: nothing follows from it for how many rows there may be.
constexpr int64_t kLargestBudget = int64_t{1} << 40;

Status WrongType(const std::string& name, const arrow::DataType& type, const char* must) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("column {} has type {} and cannot be packed", name, type.ToString()),
       .where = "column " + name,
       .why = must,
       .fix = "cast it in the query"});
}

void Scatter(const Tile& tile, int64_t count, int64_t width, std::byte* out) {
  for (int64_t i = 0; i < count; ++i, out += width) {
    std::memcpy(out, &tile.bits[size_t(i)], sizeof(uint32_t));
  }
}

}  // namespace

RowPacker::RowPacker(RowSchema rows, SchemaPtr table, int64_t budget_bytes, Refusal refusal)
    : schema_(std::move(rows)),
      table_(std::move(table)),
      budget_bytes_(budget_bytes),
      refusal_(refusal),
      store_(MakeRowStore(
          {.width = schema_.width(),
           .most_rows = budget_bytes <= kLargestBudget ? budget_bytes / schema_.width() : 0,
           .sorts = true})) {
  refused_.budget_bytes = budget_bytes;
}

Status RowPacker::Resolve() {
  for (const RowField& field : schema_.fields()) PT_TRY(AddField(field));
  return Status::OK();
}

Status RowPacker::AddField(const RowField& field) {
  if (field.columns.empty()) constants_.push_back(&field);
  for (size_t i = 0; i < field.columns.size(); ++i) {
    PT_LET(Slot slot, SlotFor(field.columns[i], field));
    slot.offset = field.offset + 4 * int64_t(i);
    if (!field.scales.empty()) {
      const ElementScale& scale = field.scales[i];
      if (!std::isfinite(scale.mean) || !std::isfinite(scale.deviation) || scale.deviation == 0) {
        return Status::Invalid(slot.name, " cannot be scaled by mean ", scale.mean,
                               " and deviation ", scale.deviation);
      }
      slot.scale = {true, scale.mean, scale.deviation};
    }
    slots_.push_back(std::move(slot));
  }
  return Status::OK();
}

Result<RowPacker::Slot> RowPacker::SlotFor(const std::string& name, const RowField& field) const {
  PT_LET(const int column, Find(name));
  const arrow::DataType* type = table_->field(column)->type().get();
  Slot slot{.name = name, .column = column, .list_length = field.list_length};
  if (field.list_length > 0) {
    if (!IsListOfCells(*type)) return WrongType(name, *type, "it must be a list of numbers");
    type = type->field(0)->type().get();
  }
  const bool code = field.element == RowElement::kInt32;
  slot.read = code ? CodeReader(type->id()) : NumberReader(type->id(), !field.scales.empty());
  if (slot.read != nullptr) return slot;
  return WrongType(name, *table_->field(column)->type(),
                   code ? "a category must be a whole number" : "it must be a number or a boolean");
}

Result<int> RowPacker::Find(const std::string& name) const {
  const int column = table_->GetFieldIndex(name);
  if (column >= 0) return column;
  const bool twice = table_->GetAllFieldIndices(name).size() > 1;
  const std::vector<std::string> known = table_->field_names();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} column {} among the rows to pack",
                                   twice ? "more than one" : "no", name),
               .where = "column " + name,
               .fix = twice ? std::string() : Suggest(name, known)});
}

Status RowPacker::Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) {
  if (batch.schema() != table_ && !batch.schema()->Equals(*table_, false)) {
    return Status::Invalid("a batch of ", batch.schema()->ToString(), " among rows of ",
                           table_->ToString());
  }
  const int64_t width = schema_.width();
  const int64_t count = chosen == nullptr ? batch.num_rows() : int64_t(chosen->size());
  refused_.rows += count;
  refused_.needed_bytes += count * width;
  for (Slot& slot : slots_) slot.cells = batch.column_data(slot.column);
  for (int64_t at = 0; refused_.needed_bytes <= budget_bytes_ && at < count; at += kTileRows) {
    const int64_t tile = std::min(kTileRows, count - at);
    const Picked picked{chosen == nullptr ? nullptr : chosen->data() + at, at, tile};
    PT_LET(std::byte * out, store_->Room(tile));
    PackTile(picked, out);
    PT_TRY(store_->Add(tile));
  }
  for (Slot& slot : slots_) slot.cells.reset();
  seen_rows_ += batch.num_rows();
  return refusal_ == Refusal::kAtOnce ? refused_.ToStatus() : Status::OK();
}

void RowPacker::PackTile(const Picked& picked, std::byte* out) {
  Tile tile;
  for (const Slot& slot : slots_) {
    if (slot.list_length > 0) {
      PackLists(slot, picked, out + slot.offset);
      continue;
    }
    slot.read(*slot.cells, picked, slot.scale, tile);
    if ((tile.nulls | tile.nans | tile.infinities | tile.wide) != 0) [[unlikely]] {
      Note(slot, picked, tile);
    }
    Scatter(tile, picked.count, schema_.width(), out + slot.offset);
  }
  FillConstants(out, picked.count);
}

// A list's elements lie side by side in the column as in the row.
void RowPacker::PackLists(const Slot& slot, const Picked& picked, std::byte* out) {
  const arrow::ArrayData& elements = *slot.cells->child_data[0];
  Tile tile;
  for (int64_t i = 0; i < picked.count; ++i, out += schema_.width()) {
    const int64_t row = picked.list != nullptr ? picked.list[i] : picked.first + i;
    const ListCell cell = ListAt(*slot.cells, row);
    if (!cell.valid || cell.length != slot.list_length) {
      CountOne(slot, cell.valid ? "a list of another length" : "NULL", row);
      continue;
    }
    for (int64_t at = 0; at < slot.list_length; at += kTileRows) {
      const int64_t count = std::min(kTileRows, slot.list_length - at);
      slot.read(elements, {nullptr, cell.begin + at, count}, slot.scale, tile);
      std::memcpy(out + 4 * at, tile.bits.data(), size_t(4 * count));
      if (tile.nulls != 0) CountOne(slot, "a list that holds NULL", row);
      if (tile.nans != 0) CountOne(slot, "a list that holds NaN", row);
      if (tile.infinities != 0) CountOne(slot, "a list that is not finite as float32", row);
      if (tile.wide != 0) CountOne(slot, "a list that goes beyond int32", row);
    }
  }
}

void RowPacker::Note(const Slot& slot, const Picked& picked, const Tile& tile) {
  Count(slot, "NULL", picked, tile.nulls);
  Count(slot, "NaN", picked, tile.nans);
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

void RowPacker::CountOne(const Slot& slot, const char* reason, int64_t row) {
  RefusedCells& cells = refused_.Of(slot.name, reason);
  if (cells.count++ == 0) cells.first_row = 1 + seen_rows_ + row;
}

void RowPacker::FillConstants(std::byte* out, int64_t rows) const {
  Tile tile;
  for (const RowField* field : constants_) {
    tile.bits.fill(field->element == RowElement::kInt32
                       ? uint32_t(int32_t(field->fill))
                       : std::bit_cast<uint32_t>(float(field->fill)));
    Scatter(tile, rows, schema_.width(), out + field->offset);
  }
}

Result<std::unique_ptr<Packer>> Packer::Make(const RowSchema& rows, const SchemaPtr& table,
                                             int64_t budget_bytes, Refusal refusal) {
  auto packer = std::make_unique<RowPacker>(rows, table, budget_bytes, refusal);
  PT_TRY(packer->Resolve());
  return std::unique_ptr<Packer>(std::move(packer));
}

}  // namespace protium
