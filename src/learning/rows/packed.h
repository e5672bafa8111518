// SPDX-License-Identifier: Apache-2.0
// Packed rows that lie side by side in memory, and the elements of their fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "rows/schema.h"

namespace protium {

// A field of consecutive rows: `at(i)` points to its elements in row i.
template <class T>
struct FieldRows {
  const T* first = nullptr;
  int64_t stride = 0;  // In elements.
  const T* at(int64_t row) const { return first + row * stride; }
};

// Borrows rows and schema.
class PackedRows {
 public:
  PackedRows() = default;
  PackedRows(const RowSchema& schema, const void* rows, int64_t size)
      : schema_(&schema), rows_(static_cast<const std::byte*>(rows)), size_(size) {}

  int64_t size() const { return size_; }
  const RowSchema& schema() const { return *schema_; }
  const std::byte* row(int64_t i) const { return rows_ + i * schema_->width(); }
  bool has(std::string_view field) const { return schema_->Find(field) != nullptr; }

  // The elements of a field, which must exist and have this type.
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
};

// Refuses the first category that is not in 0 .. cardinality - 1, nor kMissingCategory in a field
// that allows it, naming column, value and number.
Status CheckCategories(const PackedRows& rows, std::span<const int64_t> cardinalities);

}  // namespace protium
