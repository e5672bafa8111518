// SPDX-License-Identifier: Apache-2.0
// Functions of Spark's that no SQL of DuckDB's expresses, written in C++. SQL names are macros over
// them (sql/prelude.cc). All are pure: the same arguments give the same result on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "local/duckdb/handles.h"

namespace protium {

// Registers pt_round(x, digits) and pt_bround(x, digits), both also without digits, pt_double_text,
// pt_float_text, pt_cbrt, and all row functions (local/functions/themes.h).
Status RegisterScalarFunctions(const duck::Connection& connection);

// Rounds the shortest decimal text of `value` to `digits` behind the point (negative: before it),
// halves away from zero or, with `to_even`, to the even neighbour, as Spark does with
// BigDecimal(value).setScale(digits). Never returns -0.0.
double RoundDecimal(double value, int32_t digits, bool to_even);

// The same for whole numbers; false if the result does not fit 64 bits.
bool RoundWhole(int64_t value, int32_t digits, bool to_even, int64_t& rounded);

// Writes a number as Java does, with the fewest digits that give it back: 1.0, 0.001, 1.0E7,
// 1.5E-4, NaN, -Infinity.
std::string JavaText(double value);
std::string JavaText(float value);

}  // namespace protium
