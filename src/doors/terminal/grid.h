// SPDX-License-Identifier: Apache-2.0
// The first rows of a table as text that fits the terminal.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <string>

namespace protium {

// Draws names, types and rows, one line each, at most `width` columns wide; numbers are
// right-aligned. Cells of more than 32 columns are cut and end in "...". Columns of the table that
// do not fit are named in a line below, as far as it reaches. A table without columns is an empty
// text.
std::string DrawGrid(const arrow::RecordBatch& rows, int32_t width);

}  // namespace protium
