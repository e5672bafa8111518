// SPDX-License-Identifier: Apache-2.0
// The own rows of a rank as bins. Columns of at most 256 bins take a byte a row, others two. Bytes
// are stored twice: row by row, for sums over all columns, and column by column, for splits, which
// read one column. Immutable once made; any thread may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "rows/packed.h"
#include "rows/rows.h"
#include "trees/bins.h"

namespace protium {

// Memory that is zero at first: the system's, or a file's without a name, mapped, whose space is
// reserved. What lies there is read forward, so a file may be larger than memory.
class BinMemory {
 public:
  BinMemory() = default;
  ~BinMemory();
  BinMemory(BinMemory&& other) noexcept;
  BinMemory& operator=(BinMemory&& other) noexcept;
  // `folder`: where the file lies; empty: memory. Fails with Exit::kNoRoom.
  static Result<BinMemory> Make(int64_t bytes, const std::filesystem::path& folder);
  uint8_t* data() const { return data_; }

 private:
  uint8_t* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Where bins may lie.
struct BinRoom {
  int64_t memory_bytes = 0;    // 0: no limit.
  std::filesystem::path disk;  // For more than that.
};

class BinnedRows {
 public:
  // Bins the own rows in the order of the shards. `bins`, which it borrows, are those of all ranks.
  static Result<BinnedRows> Make(const ShardedRows& rows, std::span<const ColumnBins> bins,
                                 const BinRoom& room);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return int64_t(bins_.size()); }
  const ColumnBins& bins(int64_t column) const { return bins_[size_t(column)]; }
  // Bytes on the disk.
  int64_t disk_bytes() const { return disk_bytes_; }

  // Columns of a byte: their positions, and the bytes [rows, stride] in which column narrow()[i] is
  // byte i of a row. The stride is a multiple of 8; bytes behind the last column are 0.
  std::span<const int32_t> narrow() const { return narrow_; }
  int64_t stride() const { return stride_; }
  const uint8_t* row_bytes() const { return by_row_.data(); }
  bool is_narrow(int64_t column) const { return place_[size_t(column)].narrow; }
  // The bins of one column, one per row.
  const uint8_t* bytes(int64_t column) const { return by_column_.data() + At(column); }
  const uint16_t* words(int64_t column) const {
    return reinterpret_cast<const uint16_t*>(by_column_.data() + At(column));
  }
  int32_t At(int64_t column, int64_t row) const {
    return is_narrow(column) ? bytes(column)[row] : words(column)[row];
  }

 private:
  struct Place {
    bool narrow = true;
    int64_t offset = 0;  // In by_column_, in bytes.
    int64_t byte = 0;    // In a row of by_row_.
  };
  int64_t At(int64_t column) const { return place_[size_t(column)].offset; }
  void PlaceColumns();
  void BinBlock(const PackedRows& block, int64_t first);

  std::span<const ColumnBins> bins_;
  int64_t rows_ = 0;
  int64_t stride_ = 0;
  int64_t column_bytes_ = 0;
  int64_t disk_bytes_ = 0;
  std::vector<Place> place_;
  std::vector<int32_t> narrow_;
  BinMemory by_row_;
  BinMemory by_column_;
};

}  // namespace protium
