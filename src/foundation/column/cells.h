// SPDX-License-Identifier: Apache-2.0
// Formats cells of tables for people and, as JSON, for programs.
#pragma once

#include <arrow/array.h>

#include <cstdint>
#include <string>

#include "base/json.h"

namespace protium {

// One line: line breaks and tabs are written as \n, \r and \t. Doubles have the fewest digits that
// identify them; times end with their last digit that is not 0. NULL is "NULL".
std::string CellText(const arrow::Array& column, int64_t row);

// Numbers, booleans, texts, lists, structs and maps become the same in JSON, NULL becomes null;
// what JSON lacks (NaN, dates, decimals, binaries) is written like CellText().
Json CellJson(const arrow::Array& column, int64_t row);

// Names a type as the model folder and messages do: "int64", "string", "decimal(10,2)". The names
// do not depend on the file format.
std::string TypeText(const arrow::DataType& type);

// Whether a column of the type is right-aligned.
bool IsNumber(const arrow::DataType& type);

}  // namespace protium
