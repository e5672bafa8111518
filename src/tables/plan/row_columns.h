// SPDX-License-Identifier: Apache-2.0
// Converts columns of batches to the values of expressions, and back.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstdint>
#include <optional>

#include "plan/row_values.h"

namespace protium {

// Returns the kind of a column's values; nullopt for a type with which only engines compute.
std::optional<RowValues::Kind> KindOfType(const arrow::DataType& type);

// The column's type must have a kind.
RowValues ValuesOf(const arrow::Array& column);

// Returns `rows` rows of NULL.
RowValues NullsOf(RowValues::Kind kind, size_t rows);

// Whether a column holds lists of numbers, as ElementsOf() needs.
bool HasNumbers(const arrow::DataType& type);

// Returns, for each list of such a column, the number at position `place`, from 0 (kNumber); NULL
// if the list is NULL, the number is NULL, or the list is shorter.
RowValues ElementsOf(const arrow::Array& lists, int64_t place);

}  // namespace protium
