// SPDX-License-Identifier: Apache-2.0
// Columns of batches as the values of expressions, and back.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstdint>
#include <optional>

#include "plan/row_values.h"

namespace protium {

// The kind of a column's values; nullopt for a type with which engines alone compute.
std::optional<RowValues::Kind> KindOfType(const arrow::DataType& type);

// Of a column whose type has a kind.
RowValues ValuesOf(const arrow::Array& column);

// So many rows of NULL.
RowValues NullsOf(RowValues::Kind kind, size_t rows);

// Whether a column has lists of numbers, from which ElementsOf() takes.
bool HasNumbers(const arrow::DataType& type);

// Of each list of such a column the number at `place`, from 0 (kNumber); NULL in a NULL list, where
// it is NULL, and beyond the list's end.
RowValues ElementsOf(const arrow::Array& lists, int64_t place);

}  // namespace protium
