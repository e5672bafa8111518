// SPDX-License-Identifier: Apache-2.0
#include "rows/packer.h"

// The hash is compiled into this file; its library is not linked.
#define XXH_INLINE_ALL
#include <arrow/array.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/cells.h"
#include "column/lists.h"

namespace protium {
namespace {

Status WrongType(const std::string& name, const arrow::DataType& type, const char* must) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("column {} has type {} and cannot be packed", name, TypeText(type)),
       .where = "column " + name,
       .why = must,
       .fix = "cast it in the query"});
}

Scaling ScalingOf(const RowField& field, size_t i) {
  if (field.scales.empty()) return Scaling::kNone;
  const ElementScale& scale = field.scales[i];
  if (scale.log1p) return Scaling::kLog;
  // Cells unchanged: (x - 0) / 1 is x, including the sign of a zero.
  return scale.mean == 0 && scale.deviation == 1 ? Scaling::kNone : Scaling::kLinear;
}

CellReader ReaderFor(RowElement element, arrow::Type::type type, Scaling scaling) {
  if (element == RowElement::kInt32) return CodeReader(type);
  if (element == RowElement::kIdentity64) return IdentityReader(type, Half::kLow);
  return element == RowElement::kFloat64 ? DoubleReader(type, Half::kLow)
                                         : NumberReader(type, scaling);
}

const char* MustBe(RowElement element) {
  if (element == RowElement::kInt32) return "a category must be a whole number";
  if (element == RowElement::kIdentity64) {
    return "an id or a group must be a text, a whole number or a date";
  }
  return "it must be a number or a boolean";
}

std::optional<uint32_t> MissingBits(const RowField& field) {
  if (!field.missing) return std::nullopt;
  return field.element == RowElement::kInt32 ? uint32_t(kMissingCategory) : kQuietNan;
}

// Of the identity of the empty text, which NULL shares among features.
uint32_t MissingHalf(Half half) {
  const uint64_t empty = XXH3_64bits(nullptr, 0);
  return uint32_t(half == Half::kLow ? empty : empty >> 32);
}

// Cells that are NaN or infinite have their bits already.
void TakeMissing(uint32_t missing, Tile& tile) {
  for (uint64_t left = tile.nulls; left != 0; left &= left - 1) {
    tile.bits[size_t(std::countr_zero(left))] = missing;
  }
  tile.nulls = tile.nans = tile.infinities = 0;
}

// Writes a tile's elements one row apart; 64 rows of a tile stay in the first cache until all
// columns are done.
void Scatter(const Tile& tile, int64_t count, int64_t width, std::byte* out) {
  for (int64_t i = 0; i < count; ++i, out += width) {
    std::memcpy(out, &tile.bits[size_t(i)], sizeof(uint32_t));
  }
}

}  // namespace

RowPacker::RowPacker(RowSchema rows, SchemaPtr table, RowRoom room, Refusal refusal)
    : schema_(std::move(rows)),
      table_(std::move(table)),
      room_(std::move(room)),
      refusal_(refusal),
      store_(
          MakeRowStore({.width = schema_.width(),
                        .most_rows = room_.limited() ? room_.memory->bytes() / schema_.width() : 0,
                        .sorts = true,
                        .room = room_})) {
  // The room on a disk is known only when it is full.
  refused_.budget_bytes =
      room_.disk.empty() ? room_.memory->bytes() : std::numeric_limits<int64_t>::max();
}

Status RowPacker::Resolve() {
  for (const RowField& field : schema_.fields()) PT_TRY(AddField(field));
  return Status::OK();
}

Status RowPacker::AddField(const RowField& field) {
  if (field.columns.empty()) constants_.push_back(&field);
  for (size_t i = 0; i < field.columns.size(); ++i) {
    const std::string& from = field.from.empty() ? field.columns[i] : field.from[i];
    PT_LET(Source source, FindSource(from, field, ScalingOf(field, i)));
    // Elements of a field lie side by side.
    source.offset = field.offset + field.element_bytes() * int64_t(i);
    if (field.wide()) {
      AddHalves(source, field);
      continue;
    }
    if (!field.scales.empty()) {
      const ElementScale& scale = field.scales[i];
      if (!std::isfinite(scale.mean) || !std::isfinite(scale.deviation) || scale.deviation == 0) {
        return Fail({.exit = Exit::kBug,
                     .what = fmt::format("column {} cannot be scaled by mean {} and deviation {}",
                                         source.name, scale.mean, scale.deviation)});
      }
      source.scale = {ScalingOf(field, i), scale.mean, scale.deviation};
    }
    sources_.push_back(std::move(source));
  }
  return Status::OK();
}

// Two elements of 32 bits, little-endian.
void RowPacker::AddHalves(Source low, const RowField& field) {
  const arrow::Type::type type = table_->field(low.column)->type()->id();
  const bool identity = field.element == RowElement::kIdentity64;
  Source high = low;
  high.read = identity ? IdentityReader(type, Half::kHigh) : DoubleReader(type, Half::kHigh);
  high.offset += 4;
  high.second_half = true;
  if (identity && field.role == RowRole::kFeature) {
    low.missing = MissingHalf(Half::kLow);
    high.missing = MissingHalf(Half::kHigh);
  }
  sources_.push_back(std::move(low));
  sources_.push_back(std::move(high));
}

Result<RowPacker::Source> RowPacker::FindSource(const std::string& name, const RowField& field,
                                                Scaling scaling) const {
  PT_LET(const int column, Find(name));
  const arrow::DataType* type = table_->field(column)->type().get();
  Source source{.name = name,
                .column = column,
                .list_length = field.list_length,
                .weight = field.role == RowRole::kWeight,
                .missing = MissingBits(field)};
  if (field.list_length > 0) {
    if (!IsList(*type)) return WrongType(name, *type, "it must be a list of numbers");
    type = type->field(0)->type().get();
  }
  source.read = ReaderFor(field.element, type->id(), scaling);
  if (source.read != nullptr) return source;
  return WrongType(name, *table_->field(column)->type(), MustBe(field.element));
}

Result<int> RowPacker::Find(const std::string& name) const {
  const int column = table_->GetFieldIndex(name);
  if (column >= 0) return column;
  const bool twice = table_->GetAllFieldIndices(name).size() > 1;
  const std::vector<std::string> known = table_->field_names();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("there is {} column {} among the rows to pack",
                                   twice ? "more than one" : "no", name),
               .where = "column " + name,
               .fix = twice ? std::string() : Suggest(name, known)});
}

Status RowPacker::Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) {
  // Compares pointers first: batches of one stream share their schema, and comparing fields costs
  // more than a small batch.
  if (batch.schema() != table_ && !batch.schema()->Equals(*table_, false)) {
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format("a batch has the columns {}, the rows before it {}",
                                     batch.schema()->ToString(), table_->ToString())});
  }
  const int64_t width = schema_.width();
  const int64_t count = chosen == nullptr ? batch.num_rows() : int64_t(chosen->size());
  refused_.rows += count;
  refused_.needed_bytes += count * width;
  for (Source& source : sources_) source.cells = batch.column_data(source.column);
  for (int64_t at = 0; !refused_.full() && at < count; at += kTileRows) {
    const int64_t tile = std::min(kTileRows, count - at);
    const Picked picked{chosen == nullptr ? nullptr : chosen->data() + at, at, tile};
    PT_LET(std::byte * out, RoomFor(tile));
    if (out == nullptr) break;
    PackTile(picked, out);
    PT_TRY(store_->Add(tile));
  }
  // The batch's memory must not be held until the next one comes.
  for (Source& source : sources_) source.cells.reset();
  // All of the batch, including rows that were not chosen: a fault counts rows as they came.
  seen_rows_ += batch.num_rows();
  return refusal_ == Refusal::kAtOnce ? refused_.ToStatus() : Status::OK();
}

// nullptr if the disk is full, which is then noted.
Result<std::byte*> RowPacker::RoomFor(int64_t rows) {
  auto room = store_->Room(rows);
  if (room.ok() || room_.disk.empty()) return room;
  const Fault fault = FaultOf(room.status());
  if (fault.exit != Exit::kNoRoom) return room;
  refused_.budget_bytes = store_->rows() * schema_.width();
  refused_.disk = room_.disk.string();
  refused_.why = fault.why;
  return nullptr;
}

void RowPacker::PackTile(const Picked& picked, std::byte* out) {
  Tile tile;
  uint64_t nulls = 0;  // Of the last source: the second half of a cell is not marked again.
  for (const Source& source : sources_) {
    if (source.list_length > 0) {
      PackLists(source, picked, out + source.offset);
      continue;
    }
    source.read(*source.cells, picked, source.scale, tile);
    if (source.second_half && source.missing) tile.nulls = nulls;
    nulls = tile.nulls;
    if (source.missing) TakeMissing(*source.missing, tile);
    if ((tile.nulls | tile.nans | tile.infinities | tile.wide) != 0) [[unlikely]] {
      Note(source, picked, tile);
    }
    if (source.weight) NoteNegative(source, picked, tile);
    Scatter(tile, picked.count, schema_.width(), out + source.offset);
  }
  FillConstants(out, picked.count);
}

// A list's elements lie side by side in the column as in the row.
void RowPacker::PackLists(const Source& source, const Picked& picked, std::byte* out) {
  const arrow::ArrayData& elements = *source.cells->child_data[0];
  Tile tile;
  for (int64_t i = 0; i < picked.count; ++i, out += schema_.width()) {
    const int64_t row = picked.list != nullptr ? picked.list[i] : picked.first + i;
    const ListCell cell = ListAt(*source.cells, row);
    if (!cell.valid || cell.length != source.list_length) {
      CountOne(source, cell.valid ? "a list of another length" : "NULL", row);
      continue;
    }
    for (int64_t at = 0; at < source.list_length; at += kTileRows) {
      const int64_t count = std::min(kTileRows, source.list_length - at);
      source.read(elements, {nullptr, cell.begin + at, count}, source.scale, tile);
      std::memcpy(out + 4 * at, tile.bits.data(), size_t(4 * count));
      if (tile.nulls != 0) CountOne(source, "a list that holds NULL", row);
      if (tile.nans != 0) CountOne(source, "a list that holds NaN", row);
      if (tile.infinities != 0) CountOne(source, "a list that is not finite as float32", row);
      if (tile.wide != 0) CountOne(source, "a list that goes beyond int32", row);
    }
  }
}

void RowPacker::Note(const Source& source, const Picked& picked, const Tile& tile) {
  Count(source, "NULL", picked, tile.nulls);
  if (source.scale.scaling == Scaling::kLog) {
    Count(source, "-1 or less, or not finite, so without log1p,", picked,
          tile.nans | tile.infinities);
    return;
  }
  Count(source, "NaN", picked, tile.nans);
  Count(source, "not finite as float32", picked, tile.infinities);
  Count(source, "beyond int32", picked, tile.wide);
}

// Other marked cells have already been noted, and hold no value.
void RowPacker::NoteNegative(const Source& source, const Picked& picked, const Tile& tile) {
  uint64_t mask = 0;
  for (int64_t i = 0; i < picked.count; ++i) {
    mask |= uint64_t{tile.bits[size_t(i)] >> 31} << i;
  }
  Count(source, "negative", picked, mask & ~(tile.nulls | tile.nans | tile.infinities));
}

void RowPacker::Count(const Source& source, const char* reason, const Picked& picked,
                      uint64_t mask) {
  if (mask == 0) return;
  RefusedCells& cells = refused_.Of(source.name, reason);
  if (cells.count == 0) {
    const int64_t i = std::countr_zero(mask);
    cells.first_row = 1 + seen_rows_ + (picked.list != nullptr ? picked.list[i] : picked.first + i);
  }
  cells.count += std::popcount(mask);
}

void RowPacker::CountOne(const Source& source, const char* reason, int64_t row) {
  RefusedCells& cells = refused_.Of(source.name, reason);
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
                                             RowRoom room, Refusal refusal) {
  auto packer = std::make_unique<RowPacker>(rows, table, std::move(room), refusal);
  PT_TRY(packer->Resolve());
  return std::unique_ptr<Packer>(std::move(packer));
}

}  // namespace protium
