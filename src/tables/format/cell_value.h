// SPDX-License-Identifier: Apache-2.0
// Cells as values of Arrow columns.
#pragma once

#include <arrow/array/builder_base.h>

#include <string_view>

#include "base/status.h"
#include "format/cell_type.h"

namespace protium {

// Appends the value of `text`, of which IsCell(text, type) holds, to a builder of ArrowType(type).
// Numbers too large for a double are infinite, those too small 0, as engines have them.
Status AppendCell(std::string_view text, CellType type, arrow::ArrayBuilder& builder);

}  // namespace protium
