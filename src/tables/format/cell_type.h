// SPDX-License-Identifier: Apache-2.0
// The type of a cell's text. Every engine is given the type found here and none infers by itself,
// so a cell counts as a value of a type only if all of them read the same value from it. What only
// one engine accepts as a value (hexadecimal numbers, local dates) is text. Engines do not read a
// loose double alike, so tables that have any are brought (format/bring.h).
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

namespace protium {

// kLooseDouble: a double, or inf, nan or infinity in any case.
enum class CellType { kNone, kInt64, kDouble, kLooseDouble, kBool, kDate, kTimestamp, kText };

// Whether `text` is a value of the type: every text is kText, none is kNone.
bool IsCell(std::string_view text, CellType type);

// Returns the first type that `text` fits, in the order of the enumeration.
CellType TypeOfCell(std::string_view text);

// Returns the type of a column with cells of both types: the one that holds every value of the
// other, or else text. Commutative and associative, so parts of a file may be read in any order.
CellType Unite(CellType a, CellType b);

// Returns the column type that readers are given; timestamps are in microseconds and without a
// zone, kNone is utf8.
std::shared_ptr<arrow::DataType> ArrowType(CellType type);

// Returns the type that text must fit to be read as a column of `type`: numbers of any width,
// decimals as doubles; kText for types that cells do not hold.
CellType CellTypeOf(const arrow::DataType& type);

}  // namespace protium
