// SPDX-License-Identifier: Apache-2.0
// Merges sorted rows from several places into one store. One thread.
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

// Bytes that rows are read or moved in; at least one row, whatever its width.
inline constexpr int64_t kMergeBlockBytes = 256 << 10;
int64_t RowsIn(int64_t bytes, int64_t width);

// Sorted rows, read in order, a block at a time. Borrows what it reads.
class RowSource {
 public:
  // Rows of a store.
  RowSource(const RowStore& store, RowSpan range);
  // Another rank's rows, from its window, where `range` counts in rows of that window.
  RowSource(Window& window, int32_t rank, RowSpan range, int64_t width);

  // Makes row() the next row, unless done(). Its key is hashed: rows lie without their keys.
  Status Load();
  void Step();

  bool done() const { return next_ == end_; }
  int64_t next() const { return next_; }  // Counts as the range does.
  const std::byte* row() const { return row_; }
  const RowKey& key() const { return key_; }

 private:
  Status LoadBlock();

  int64_t width_;
  int64_t next_;
  int64_t end_;
  std::unique_ptr<RowScan> scan_;      // Of a store's rows.
  Window* window_ = nullptr;           // Of another rank's ones,
  const std::byte* direct_ = nullptr;  // and where it lies, if this process can see it.
  int32_t rank_ = 0;
  std::vector<std::byte> block_;
  int64_t block_end_ = -1;  // Behind the rows at hand; -1: none were read.
  const std::byte* row_ = nullptr;
  RowKey key_;
};

// Adds the rows of all sources to a store, in order, and up to the identities of parts: parts are
// filled one after another, each with part_rows of its own.
class RowMerge {
 public:
  // `identities` has an entry for each part and says how many rows a part has already. Together the
  // parts have room for all rows of the sources.
  RowMerge(std::vector<RowSource> sources, std::span<const int64_t> part_rows, RowStore& store,
           std::span<ShardIdentity> identities);
  // Once, before all else: reads the first row of each source.
  Status Start();
  // Until the store has `rows` rows; so many must be there. May be called again for more.
  Status RunUntil(int64_t rows);
  // How far each source was read.
  std::vector<int64_t> Read() const;

 private:
  bool Before(uint32_t a, uint32_t b) const;
  void Sink(size_t at);
  Status MoveLeast(std::byte* to);

  std::vector<RowSource> sources_;
  std::vector<uint32_t> heap_;  // Of sources that are not done, the one with the least row first.
  std::span<const int64_t> part_rows_;
  RowStore& store_;
  std::span<ShardIdentity> identities_;
  size_t part_ = 0;  // The one that the last row was counted for.
};

}  // namespace protium
