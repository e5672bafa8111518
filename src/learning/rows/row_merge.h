// SPDX-License-Identifier: Apache-2.0
// Merges sorted rows from several sources into one store. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/key.h"
#include "rows/row_store.h"

namespace protium {

// The size in which rows are read or moved; at least one row, whatever its width.
inline constexpr int64_t kMergeBlockBytes = 256 << 10;
int64_t RowsIn(int64_t bytes, int64_t width);

// Sorted rows, read in order, a block at a time. Borrows what it reads.
class RowSource {
 public:
  // Rows of a store.
  RowSource(const RowStore& store, RowSpan range);
  // Another rank's rows, from its window; `range` counts in rows of that window.
  RowSource(Window& window, int32_t rank, RowSpan range, int64_t width);

  // Makes row() the next row, unless done(). Computes its key, since rows are stored without keys.
  Status Load();
  void Step();

  bool done() const { return next_ == end_; }
  int64_t next() const { return next_; }  // Counts like the range.
  const std::byte* row() const { return row_; }
  const RowKey& key() const { return key_; }

 private:
  Status LoadBlock();

  int64_t width_;
  int64_t next_;
  int64_t end_;
  std::unique_ptr<RowScan> scan_;      // Of a store's rows.
  Window* window_ = nullptr;           // Of another rank's rows,
  const std::byte* direct_ = nullptr;  // and their address, if this process can access it.
  int32_t rank_ = 0;
  std::vector<std::byte> block_;
  int64_t block_end_ = -1;  // End of the rows loaded; -1: none were read.
  const std::byte* row_ = nullptr;
  RowKey key_;
};

// Adds the rows of all sources to a store, in order, and adds them to the identities of parts:
// parts are filled one after another, each with its number of rows from part_rows.
class RowMerge {
 public:
  // `identities` has an entry for each part and says how many rows the part already has. Together
  // the parts have room for all rows of the sources.
  RowMerge(std::vector<RowSource> sources, std::span<const int64_t> part_rows, RowStore& store,
           std::span<ShardIdentity> identities);
  // Called once, before anything else: reads the first row of each source.
  Status Start();
  // Merges until the store has `rows` rows; the sources must have that many. May be called again.
  Status RunUntil(int64_t rows);
  // How far each source was read.
  std::vector<int64_t> Read() const;

 private:
  bool Before(uint32_t a, uint32_t b) const;
  void Sink(size_t at);
  Status MoveLeast(std::byte* to);

  std::vector<RowSource> sources_;
  std::vector<uint32_t> heap_;  // The sources that are not done, the one with the least row first.
  std::span<const int64_t> part_rows_;
  RowStore& store_;
  std::span<ShardIdentity> identities_;
  size_t part_ = 0;  // The part that the last row was counted for.
};

}  // namespace protium
