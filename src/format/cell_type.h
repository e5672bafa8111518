// SPDX-License-Identifier: Apache-2.0
// The type that the text of a cell has.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

namespace protium {

enum class CellType { kNone, kInt64, kDouble, kBool, kDate, kTimestamp, kText };

// True when `text` is a value of the type: every text is kText, none is kNone.
bool IsCell(std::string_view text, CellType type);

// The first type that `text` fits.
CellType TypeOfCell(std::string_view text);

// The type of a column with cells of both.
CellType Unite(CellType a, CellType b);

std::shared_ptr<arrow::DataType> ArrowType(CellType type);

}  // namespace protium
