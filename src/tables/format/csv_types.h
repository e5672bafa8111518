// SPDX-License-Identifier: Apache-2.0
// The types of a table's columns, from the text of its cells. A column starts without a type and
// widens with every cell that does not fit its type so far.
#pragma once

#include <string_view>
#include <vector>

#include "column/source.h"
#include "format/cell_type.h"
#include "format/csv_scan.h"

namespace protium {

// Whether the cell is a null: empty without quotes, or a word for null, even in quotes.
bool IsNull(const CsvCell& cell, const CsvOptions& options);

// Widens a column's type to hold one more cell.
void Widen(const CsvCell& cell, const CsvOptions& options, CellType& type);

// Widens `types` by the plain rows at the front of `text`, which begins with a row: those without a
// quoted cell, with a cell for each column and ending with `line_end`. Returns the length of the
// text read. Stops before the first row of another form and some bytes before the end of the text;
// the rest is for a CsvScanner, which also knows what is wrong with a row.
//
// This is the fast half of inference: the scanner cuts the text into cells and finds the type of
// each, while this function examines about 16 bytes at once.
size_t WidenByPlainRows(std::string_view text, std::string_view line_end, const CsvOptions& options,
                        std::vector<CellType>& types);

}  // namespace protium
