// SPDX-License-Identifier: Apache-2.0
// Rows as nets see them: packed rows side by side, and their fields as tensors without a copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "rows/schema.h"

namespace protium {

// A field of consecutive rows: `at(i)` points to its elements in row i.
template <class T>
struct FieldRows {
  const T* first = nullptr;
  int64_t stride = 0;  // In elements.
  const T* at(int64_t row) const { return first + row * stride; }
};

// The rows of one shard in one step, or a block of rows to predict for. Borrows rows and schema.
class Batch {
 public:
  Batch() = default;
  // `block`, bytes [size, width of a row], is the rows' copy on a device (tensor/row_block.h);
  // undefined: nets read the rows themselves.
  Batch(const RowSchema& schema, const void* rows, int64_t size, at::Tensor block = {})
      : schema_(&schema),
        rows_(static_cast<const std::byte*>(rows)),
        size_(size),
        block_(std::move(block)) {}

  int64_t size() const { return size_; }
  const RowSchema& schema() const { return *schema_; }
  const std::byte* row(int64_t i) const { return rows_ + i * schema_->width(); }
  // Rows begin .. end - 1.
  Batch Slice(int64_t begin, int64_t end) const;

  bool has(std::string_view field) const { return schema_->Find(field) != nullptr; }
  // A view [size, elements] of float32 or int32, where the net computes. Throws c10::Error for a
  // field that is not there.
  at::Tensor operator[](std::string_view field) const;

  // The elements themselves, on the host, for loops of one's own; of a field of that type that is
  // there.
  FieldRows<float> floats(std::string_view field) const { return Rows<float>(field); }
  FieldRows<int32_t> ints(std::string_view field) const { return Rows<int32_t>(field); }

 private:
  template <class T>
  FieldRows<T> Rows(std::string_view field) const {
    const RowField* const found = schema_->Find(field);
    if (found == nullptr) return {};
    return {reinterpret_cast<const T*>(rows_ + found->offset),
            schema_->width() / int64_t(sizeof(T))};
  }

  const RowSchema* schema_ = nullptr;
  const std::byte* rows_ = nullptr;
  int64_t size_ = 0;
  at::Tensor block_;
};

}  // namespace protium
