// SPDX-License-Identifier: Apache-2.0
// Rows as nets see them: packed rows side by side, on the host and, if a net computes on a device,
// there as well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rows/packed.h"

namespace protium {

// The rows of one shard in one step, or a block of rows to predict. Borrows rows and schema.
class BatchRows : public PackedRows {
 public:
  BatchRows() = default;
  // `there` is the rows' copy on a device (tensor/row_block.h); null: nets read the rows
  // themselves.
  BatchRows(const RowSchema& schema, const void* rows, int64_t size, const void* there = nullptr)
      : PackedRows(schema, rows, size), there_(static_cast<const std::byte*>(there)) {}

  // Rows begin .. end - 1.
  BatchRows Slice(int64_t begin, int64_t end) const {
    const std::byte* const there = there_ == nullptr ? nullptr : there_ + begin * schema().width();
    return {schema(), row(begin), end - begin, there};
  }

  const std::byte* there() const { return there_; }

 private:
  const std::byte* there_ = nullptr;
};

}  // namespace protium
