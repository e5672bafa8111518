// SPDX-License-Identifier: Apache-2.0
// Decimal arithmetic as in Spark (Decimal, on Java's BigDecimal): computed exactly, then rounded
// once to the scale of the result, which the caller chooses.
#pragma once

#include <cstdint>
#include <optional>

namespace protium {

// value / 10^scale, with up to 38 digits.
struct DecimalNumber {
  __int128 value = 0;
  int scale = 0;
};

// Division by zero, or a result of more than 38 digits; both are errors in ANSI mode.
enum class DecimalFault { kNone, kZero, kOverflow };

struct DecimalAnswer {
  __int128 value = 0;
  DecimalFault fault = DecimalFault::kNone;
};

// `operation` is one of + - * / %, p (the non-negative remainder: pmod) and d (the lowest 64 bits
// of the integral quotient: div). Rounds the result half away from zero to `scale` digits after the
// point; a quotient is rounded to 39 digits first, as in Spark.
DecimalAnswer ComputeDecimal(char operation, const DecimalNumber& a, const DecimalNumber& b,
                             int scale);

// Rounds to `digits` digits after the point; `digits` may be negative. `operation` is r (half away
// from zero), e (half to even), f (down) or c (up). The result has `scale` digits after the point.
DecimalAnswer RoundDecimalNumber(char operation, const DecimalNumber& a, int digits, int scale);

}  // namespace protium
