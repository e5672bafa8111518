// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "rows/key.h"
#include "rows/memory.h"

namespace protium {

// Which of the rows belongs in each place when they are sorted by (key, bytes).
class RowOrder {
 public:
  // `keys` are those of `rows`. Takes 8 bytes a row; fewer than 2^32 rows.
  static Result<RowOrder> Find(std::span<const std::byte> rows, int64_t width,
                               std::span<const RowKey> keys);

  size_t size() const { return refs_.size(); }
  uint32_t operator[](size_t place) const { return uint32_t(refs_[place]); }
  // Has the memory fetch what `place` will be asked for soon.
  void Ask(size_t place) const { __builtin_prefetch(&refs_[place]); }

 private:
  RowMemory memory_;
  std::span<uint64_t> refs_;  // The row's number is in the low half.
};

// Brings row order[i] to place i, for all i, where the rows lie.
void MoveRows(std::span<std::byte> rows, int64_t width, const RowOrder& order);

}  // namespace protium
