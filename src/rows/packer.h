// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rows/cells.h"
#include "rows/key.h"
#include "rows/memory.h"
#include "rows/refused.h"
#include "rows/rows.h"

namespace protium {

// Packs column by column within tiles of rows: writes stay in the first cache, reads stream.
class RowPacker final : public Packer {
 public:
  RowPacker(RowSchema rows, SchemaPtr table, int64_t budget_bytes, Refusal refusal);
  Status Resolve();  // Finds the columns; once, before anything else.

  using Packer::Append;
  const RowSchema& schema() const override { return schema_; }
  Status Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) override;
  int64_t rows() const override { return rows_; }
  std::span<const std::byte> bytes() const override {
    return {memory_.data(), size_t(rows_ * schema_.width())};
  }

  // The keys of the rows, in order of arrival.
  std::span<const RowKey> keys() const { return keys_.As<const RowKey>(rows_); }
  const Refused& refused() const { return refused_; }
  void DropKeys() { keys_ = {}; }
  // Hands the rows over; nothing may be called afterwards.
  RowMemory TakeMemory() { return std::move(memory_); }

 private:
  // Where the cells of a column go: one element a row, or all of a list.
  struct Slot {
    std::string name;
    int column = -1;
    int64_t offset = 0;
    CellReader read = nullptr;  // Of the column's cells, or of its lists' elements.
    CellScale scale;
    int64_t list_length = 0;
    std::shared_ptr<arrow::ArrayData> cells;  // Of the batch that is being packed.
  };

  Status AddField(const RowField& field);
  Result<Slot> SlotFor(const std::string& name, const RowField& field) const;
  Result<int> Find(const std::string& name) const;
  Status Grow(int64_t rows);
  void PackTile(const Picked& picked, std::byte* out);
  void PackLists(const Slot& slot, const Picked& picked, std::byte* out);
  void Note(const Slot& slot, const Picked& picked, const Tile& tile);
  void Count(const Slot& slot, const char* reason, const Picked& picked, uint64_t mask);
  void CountOne(const Slot& slot, const char* reason, int64_t row);
  void FillConstants(std::byte* out, int64_t rows) const;

  RowSchema schema_;
  SchemaPtr table_;
  int64_t budget_bytes_;
  Refusal refusal_;
  std::vector<Slot> slots_;
  std::vector<const RowField*> constants_;  // Fields of schema_ without columns.
  RowMemory memory_;
  RowMemory keys_;  // Made while a row is in the first cache.
  Refused refused_;
  int64_t seen_rows_ = 0;  // Given to Append(), packed or not.
  int64_t rows_ = 0;
};

}  // namespace protium
