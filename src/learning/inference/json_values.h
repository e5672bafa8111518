// SPDX-License-Identifier: Apache-2.0
// Values of JSON in columns.
#pragma once

#include <arrow/array/builder_base.h>

#include "inference/json_cursor.h"

namespace protium {

// Takes the value that comes and appends it to a column. False: it is not of the column's type, or
// beyond it, or the text has a mistake there; what was appended then is of no use.
bool ReadValue(JsonCursor& cursor, arrow::ArrayBuilder& builder);

}  // namespace protium
