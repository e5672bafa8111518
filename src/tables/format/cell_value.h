// SPDX-License-Identifier: Apache-2.0
// Converts cells to values of Arrow columns.
#pragma once

#include <arrow/array/builder_base.h>

#include <string_view>

#include "base/status.h"
#include "format/cell_type.h"

namespace protium {

// Appends the value of `text`, for which IsCell(text, type) must hold, to a builder of
// ArrowType(type). Numbers too large for a double become infinite, those too small 0, as in the
// engines.
Status AppendCell(std::string_view text, CellType type, arrow::ArrayBuilder& builder);

}  // namespace protium
