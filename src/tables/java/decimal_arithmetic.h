// SPDX-License-Identifier: Apache-2.0
// Arithmetic of decimals as Spark does it (Decimal, on Java's BigDecimal): exact, then rounded once
// to the scale of the result, which the caller chooses.
#pragma once

#include <cstdint>
#include <optional>

namespace protium {

// value / 10^scale, with up to 38 digits.
struct DecimalNumber {
  __int128 value = 0;
  int scale = 0;
};

// Division by zero, or a result of more than 38 digits; ANSI mode makes both errors.
enum class DecimalFault { kNone, kZero, kOverflow };

struct DecimalAnswer {
  __int128 value = 0;
  DecimalFault fault = DecimalFault::kNone;
};

// `operation` is one of + - * / %, p (the remainder that is not negative: pmod) and d (the lowest
// 64 bits of the whole quotient: div). The result is rounded half away from zero to `scale` digits
// behind the point; a quotient is rounded to 39 digits first, as Spark's is.
DecimalAnswer ComputeDecimal(char operation, const DecimalNumber& a, const DecimalNumber& b,
                             int scale);

// Rounds to `digits` behind the point, which may be negative. `operation` is r (half away from
// zero), e (half to even), f (down) or c (up). The answer has `scale` digits behind the point.
DecimalAnswer RoundDecimalNumber(char operation, const DecimalNumber& a, int digits, int scale);

}  // namespace protium
