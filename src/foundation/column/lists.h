// SPDX-License-Identifier: Apache-2.0
// Columns of lists in all three forms: with offsets of 32 or 64 bits, or of fixed length.
#pragma once

#include <arrow/array/data.h>

#include <cstdint>

namespace protium {

bool IsList(const arrow::DataType& type);

// The position of a list's elements within those of its column.
struct ListCell {
  bool valid = true;
  int64_t begin = 0;  // An index into the child array, which may have an offset of its own.
  int64_t length = 0;
};
// Finds the list of this row; `column` is of a type that IsList() accepts.
ListCell ListAt(const arrow::ArrayData& column, int64_t row);

}  // namespace protium
