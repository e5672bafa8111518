// SPDX-License-Identifier: Apache-2.0
// Appends JSON values to columns.
#pragma once

#include <arrow/array/builder_base.h>

#include "inference/json_cursor.h"

namespace protium {

// Reads the next value and appends it to a column. False: it is not of the column's type, is
// outside its range, or the text has an error there; the column must then not be used.
bool ReadValue(JsonCursor& cursor, arrow::ArrayBuilder& builder);

}  // namespace protium
