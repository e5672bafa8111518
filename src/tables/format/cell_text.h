// SPDX-License-Identifier: Apache-2.0
// Writes values as text in files, in forms that format/csv.h and format/json_lines.h read back as
// the same values.
#pragma once

#include <arrow/array.h>

#include <string>

namespace protium {

// Each function appends the value of a row. Doubles have the fewest digits that identify them. The
// caller must refuse types that CSV cannot hold, and binaries in JSON.
//
// Appends a CSV cell: texts in quotes, NULL as nothing, NaN, Inf and -Inf.
void AppendCsvCell(const arrow::Array& column, int64_t row, std::string& text);

// Appends a JSON value: dates and times as texts, decimals as numbers, lists as lists. NaN,
// Infinity and -Infinity are written as in Python. Doubles without a fraction end in .0, so that
// they are read as doubles again.
void AppendJsonCell(const arrow::Array& column, int64_t row, std::string& text);

// Appends a text in the quotes of each format.
void AppendCsvText(std::string_view value, std::string& text);
void AppendJsonText(std::string_view value, std::string& text);

}  // namespace protium
