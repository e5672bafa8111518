// SPDX-License-Identifier: Apache-2.0
// The packer that implements rows.h.
//
// 1. A row is written once, where it stays until rows are sorted; its key is computed while it is
//    in the first cache.
// 2. Cells that cannot be packed are counted; a row with any such cell is never seen, since it is
//    refused as a whole sooner or later (Refusal).
// 3. Beyond memory and disk, rows are only counted, so that the fault can say how many bytes all
//    would need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rows/cells.h"
#include "rows/refused.h"
#include "rows/row_store.h"
#include "rows/rows.h"

namespace protium {

// Packs column by column within tiles of rows: writes stay in the first cache, reads stream.
class RowPacker final : public Packer {
 public:
  RowPacker(RowSchema rows, SchemaPtr table, RowRoom room, Refusal refusal);
  Status Resolve();  // Finds the columns; called once, before anything else.

  using Packer::Append;
  const RowSchema& schema() const override { return schema_; }
  Status Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) override;
  const RowStore& store() const override { return *store_; }

  const Refused& refused() const { return refused_; }
  const RowRoom& room() const { return room_; }
  // Hands the rows over; nothing may be called afterwards.
  std::unique_ptr<RowStore> TakeStore() { return std::move(store_); }

 private:
  // Where the cells of a column go: one element per row, or all of a list.
  struct Source {
    std::string name;
    int column = -1;
    int64_t offset = 0;
    CellReader read = nullptr;  // For the column's cells, or its lists' elements.
    CellScale scale;
    int64_t list_length = 0;
    bool weight = false;                      // Must not be negative.
    std::optional<uint32_t> missing;          // The bits of a missing cell; none: it is refused.
    bool second_half = false;                 // Of the cell that the source before it reads.
    std::shared_ptr<arrow::ArrayData> cells;  // Of the batch being packed.
  };

  Status AddField(const RowField& field);
  Result<Source> FindSource(const std::string& name, const RowField& field, Scaling scaling) const;
  void AddHalves(Source low, const RowField& field);
  Result<int> Find(const std::string& name) const;
  Result<std::byte*> RoomFor(int64_t rows);
  void PackTile(const Picked& picked, std::byte* out);
  void PackLists(const Source& source, const Picked& picked, std::byte* out);
  void NoteNegative(const Source& source, const Picked& picked, const Tile& tile);
  void Note(const Source& source, const Picked& picked, const Tile& tile);
  void Count(const Source& source, const char* reason, const Picked& picked, uint64_t mask);
  void CountOne(const Source& source, const char* reason, int64_t row);
  void FillConstants(std::byte* out, int64_t rows) const;

  RowSchema schema_;
  SchemaPtr table_;
  RowRoom room_;
  Refusal refusal_;
  std::vector<Source> sources_;
  std::vector<const RowField*> constants_;  // Fields of schema_ without columns.
  std::unique_ptr<RowStore> store_;
  Refused refused_;
  int64_t seen_rows_ = 0;  // Passed to Append(), packed or not.
};

}  // namespace protium
