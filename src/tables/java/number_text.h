// SPDX-License-Identifier: Apache-2.0
// Writes and rounds numbers by their decimal text, as Java does.
#pragma once

#include <cstdint>
#include <string>

namespace protium {

// Rounds the shortest decimal text of `value` to `digits` digits after the point (before it if
// negative), halves away from zero or, with `to_even`, to the even neighbour, as Spark does with
// BigDecimal(value).setScale(digits). Never returns -0.0.
double RoundDecimal(double value, int32_t digits, bool to_even);

// The same for whole numbers; false if the result does not fit 64 bits.
bool RoundWhole(int64_t value, int32_t digits, bool to_even, int64_t& rounded);

// Writes a number as Java does, with the fewest digits from which it can be read back: 1.0, 0.001,
// 1.0E7, 1.5E-4, NaN, -Infinity.
std::string JavaText(double value);
std::string JavaText(float value);

}  // namespace protium
