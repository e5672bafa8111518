// SPDX-License-Identifier: Apache-2.0
// Rows as nets see them: packed rows side by side, and their fields as tensors without a copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "rows/packed.h"

namespace protium {

// The rows of one shard in one step, or a block of rows to predict for. Borrows rows and schema.
class Batch : public PackedRows {
 public:
  Batch() = default;
  // `block`, bytes [size, width of a row], is the rows' copy on a device (tensor/row_block.h);
  // undefined: nets read the rows themselves.
  Batch(const RowSchema& schema, const void* rows, int64_t size, at::Tensor block = {})
      : PackedRows(schema, rows, size), block_(std::move(block)) {}

  // Rows begin .. end - 1.
  Batch Slice(int64_t begin, int64_t end) const;

  // A view [size, elements] of float32 or int32, where the net computes. Throws c10::Error for a
  // field that is not there.
  at::Tensor operator[](std::string_view field) const;

 private:
  at::Tensor block_;
};

}  // namespace protium
