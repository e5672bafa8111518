// SPDX-License-Identifier: Apache-2.0
// Cells of tables for people to read and, as JSON, for programs.
#pragma once

#include <arrow/array.h>

#include <cstdint>
#include <string>

#include "base/json.h"

namespace protium {

// One line: line breaks and tabs are written as \n, \r and \t. Doubles have the fewest digits that
// tell them apart; times end with their last digit that is not 0. NULL is "NULL".
std::string CellText(const arrow::Array& column, int64_t row);

// Numbers, booleans, texts, lists, structs and maps as JSON has them, NULL as null; what JSON has
// not (NaN, dates, decimals, binaries) as CellText().
Json CellJson(const arrow::Array& column, int64_t row);

// A type as the model folder and messages write it: "int64", "string", "decimal(10,2)". One set of
// names whatever the file was.
std::string TypeText(const arrow::DataType& type);

// Whether a column of the type is aligned to the right.
bool IsNumber(const arrow::DataType& type);

}  // namespace protium
