// SPDX-License-Identifier: Apache-2.0
// The first rows of a table, and other values, as text that fits the terminal.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// Names, types and rows, a line each, at most `width` columns wide; numbers to the right. Cells of
// more than 32 columns are cut and end in "...". Columns of the table that do not fit are named in
// a line below, as far as it reaches. A table without columns is an empty text.
std::string DrawGrid(const arrow::RecordBatch& rows, int32_t width);

// TextTable() for stdout: on a terminal that is too narrow for it, the widest columns are cut.
std::string FittedTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right = {});

// Lines for stdout: on a terminal that is too narrow for one, it is broken between words and goes
// on two blanks further in.
std::string FittedLines(const std::string& text);

// A value as people write it: floats with five digits, whole numbers in groups of three, text
// without quotes, lists with commas; empty for null.
std::string Shown(const Json& value);

}  // namespace protium
