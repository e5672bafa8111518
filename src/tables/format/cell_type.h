// SPDX-License-Identifier: Apache-2.0
// The type that the text of a cell has. Every engine is told the type found here and none infers by
// itself, so a cell counts as a value of a type only where all of them read the same value from it.
// What only one engine takes for a value (hexadecimal numbers, local dates) is text. A loose double
// is one that engines do not read alike, so that tables with any are brought (format/bring.h).
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

namespace protium {

// kLooseDouble: a double, also inf, nan and infinity in any case.
enum class CellType { kNone, kInt64, kDouble, kLooseDouble, kBool, kDate, kTimestamp, kText };

// Whether `text` is a value of the type: every text is kText, none is kNone.
bool IsCell(std::string_view text, CellType type);

// The first type that `text` fits, in the order of the enumeration.
CellType TypeOfCell(std::string_view text);

// The type of a column with cells of both: the narrower of the two that holds every value of the
// other, or else text. Commutative and associative, so parts of a file may be read in any order.
CellType Unite(CellType a, CellType b);

// The column type that readers are given; timestamps are in microseconds and without a zone, kNone
// is utf8.
std::shared_ptr<arrow::DataType> ArrowType(CellType type);

// The type that text must fit to be read as a column of the type given: numbers of any width, and
// decimals as doubles; kText for what cells do not hold.
CellType CellTypeOf(const arrow::DataType& type);

}  // namespace protium
