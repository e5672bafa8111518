// SPDX-License-Identifier: Apache-2.0
// Values as the text of files, in forms that format/csv.h and format/json_lines.h read back as the
// same values.
#pragma once

#include <arrow/array.h>

#include <string>

namespace protium {

// Each appends the value of a row. Doubles have the fewest digits that tell them apart. Types that
// CSV cannot hold, and binaries in JSON, are the caller's to refuse.
//
// As a cell: texts in quotes, NULL as nothing, NaN, Inf and -Inf.
void AppendCsvCell(const arrow::Array& column, int64_t row, std::string& text);

// As a value of JSON: dates and times as texts, decimals as numbers, lists as lists. NaN, Infinity
// and -Infinity are written as Python has them. Doubles without a fraction end in .0, so that they
// are read as doubles again.
void AppendJsonCell(const arrow::Array& column, int64_t row, std::string& text);

// A text in the quotes of each.
void AppendCsvText(std::string_view value, std::string& text);
void AppendJsonText(std::string_view value, std::string& text);

}  // namespace protium
