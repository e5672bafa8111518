// SPDX-License-Identifier: Apache-2.0
// Sorts rows in memory: first finds their order by their keys, then moves each row once, to its
// position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "rows/key.h"
#include "rows/memory.h"

namespace protium {

// Which row belongs in each position when rows are sorted by (key, bytes).
class RowOrder {
 public:
  // `keys` are those of `rows`. Takes 8 bytes per row; fewer than 2^32 rows.
  static Result<RowOrder> Find(std::span<const std::byte> rows, int64_t width,
                               std::span<const RowKey> keys);

  size_t size() const { return refs_.size(); }
  uint32_t operator[](size_t position) const { return uint32_t(refs_[position]); }
  // Prefetches the entry for `position`, which will be read soon.
  void Prefetch(size_t position) const { __builtin_prefetch(&refs_[position]); }

 private:
  RowMemory memory_;
  std::span<uint64_t> refs_;  // The row's number is in the low half.
};

// Moves row order[i] to position i, for all i, in place.
void MoveRows(std::span<std::byte> rows, int64_t width, const RowOrder& order);

}  // namespace protium
