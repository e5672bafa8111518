// SPDX-License-Identifier: Apache-2.0
// Columns of lists, in whichever of three forms: with offsets of 32 or 64 bits, or of one length.
#pragma once

#include <arrow/array/data.h>

#include <cstdint>

namespace protium {

bool IsList(const arrow::DataType& type);

// Where the elements of a list lie among those of its column.
struct ListCell {
  bool valid = true;
  int64_t begin = 0;  // As an element of the child array, which may have an offset of its own.
  int64_t length = 0;
};
// Where the list of this row lies; `column` is of a type that IsList() accepts.
ListCell ListAt(const arrow::ArrayData& column, int64_t row);

}  // namespace protium
