// SPDX-License-Identifier: Apache-2.0
// Arithmetic of decimals as Spark does it: exact, and rounded once to the scale of the result.
#pragma once

#include <cstdint>
#include <optional>

namespace protium {

// value / 10^scale; up to 38 digits.
struct DecimalNumber {
  __int128 value = 0;
  int scale = 0;
};

enum class DecimalFault { kNone, kZero, kOverflow };

struct DecimalAnswer {
  __int128 value = 0;
  DecimalFault fault = DecimalFault::kNone;
};

// Operations: + - * / %, p for the remainder that is not negative, d for the lowest 64 bits of
// the whole quotient.
// Results are rounded half away from zero to `scale` digits behind the point; a quotient is
// rounded to 39 digits first, as Spark's is.
DecimalAnswer ComputeDecimal(char operation, const DecimalNumber& a, const DecimalNumber& b,
                             int scale);

// Rounds to `digits` behind the point, which may be negative: r half away from zero, e half to
// even, f down, c up. The answer has `scale` digits behind the point.
DecimalAnswer RoundDecimalNumber(char operation, const DecimalNumber& a, int digits, int scale);

}  // namespace protium
