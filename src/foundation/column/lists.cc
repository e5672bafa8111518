// SPDX-License-Identifier: Apache-2.0
#include "column/lists.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>

namespace protium {

bool IsList(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
         type.id() == arrow::Type::FIXED_SIZE_LIST;
}

ListCell ListAt(const arrow::ArrayData& column, int64_t row) {
  if (column.MayHaveNulls() &&
      !arrow::bit_util::GetBit(column.buffers[0]->data(), column.offset + row)) {
    return {.valid = false};
  }
  if (column.type->id() == arrow::Type::FIXED_SIZE_LIST) {
    const int64_t length = static_cast<const arrow::FixedSizeListType&>(*column.type).list_size();
    return {.begin = (column.offset + row) * length, .length = length};
  }
  if (column.type->id() == arrow::Type::LARGE_LIST) {
    const int64_t* offsets = column.GetValues<int64_t>(1);
    return {.begin = offsets[row], .length = offsets[row + 1] - offsets[row]};
  }
  const int32_t* offsets = column.GetValues<int32_t>(1);
  return {.begin = offsets[row], .length = int64_t(offsets[row + 1]) - offsets[row]};
}

}  // namespace protium
