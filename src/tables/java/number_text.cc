// SPDX-License-Identifier: Apache-2.0
#include "java/number_text.h"

#include <charconv>
#include <cmath>
#include <limits>

// Numbers are rounded and written from their shortest decimal digits, those of Java's
// BigDecimal(Double.toString(x)); from the binary value, 2.675 would round to 2.67 where Spark
// returns 2.68.

namespace protium {
namespace {

// The absolute value as 0.DIGITS * 10^exponent, with the fewest digits from which it can be read
// back.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// std::to_chars without a precision gives the fewest digits that read back as the same number.
template <class Number>
Decimal Shortest(Number value) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  for (; at < end.ptr && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits += *at;
  }
  const char* number = at + 1;
  if (number < end.ptr && *number == '+') ++number;
  std::from_chars(number, end.ptr, decimal.exponent);
  ++decimal.exponent;
  return decimal;
}

// Double.toString: plain between 10^-3 and 10^7, otherwise with an exponent; always with a digit
// after the point.
template <class Number>
std::string WriteAsJava(Number value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "Infinity";
  if (value == 0) return sign + "0.0";
  Decimal decimal = Shortest(value);
  const int point = decimal.exponent;
  if (point > 7 || point < -2) {
    const std::string rest = decimal.digits.size() > 1 ? decimal.digits.substr(1) : "0";
    return sign + decimal.digits[0] + "." + rest + "E" + std::to_string(point - 1);
  }
  if (point <= 0) return sign + "0." + std::string(-point, '0') + decimal.digits;
  const auto whole = static_cast<size_t>(point);
  if (decimal.digits.size() <= whole) decimal.digits.append(whole - decimal.digits.size() + 1, '0');
  return sign + decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
}

// Whether cutting `digits` behind the first `keep` rounds away from zero.
bool RoundsUp(const std::string& digits, size_t keep, bool to_even) {
  if (keep >= digits.size()) return false;
  const bool half =
      digits[keep] == '5' && digits.find_first_not_of('0', keep + 1) == std::string::npos;
  if (!half || !to_even) return digits[keep] >= '5';
  return keep > 0 && (digits[keep - 1] - '0') % 2 == 1;
}

}  // namespace

double RoundDecimal(double value, int32_t digits, bool to_even) {
  if (!std::isfinite(value) || value == 0) return value + 0.0;
  Decimal decimal = Shortest(value);
  const int64_t keep = int64_t{decimal.exponent} + digits;
  // Less than a tenth of the last digit that remains.
  if (keep < 0) return 0;
  if (keep >= static_cast<int64_t>(decimal.digits.size())) return value;
  const bool up = RoundsUp(decimal.digits, keep, to_even);
  // A leading zero takes the carry: 9.99 becomes 10.0.
  std::string kept = "0" + decimal.digits.substr(0, keep);
  if (up) {
    size_t at = kept.size() - 1;
    while (kept[at] == '9') kept[at--] = '0';
    ++kept[at];
  }
  // Read back as text, which gives the nearest double; arithmetic with powers of ten would round
  // again.
  const std::string text = kept + "e" + std::to_string(decimal.exponent - keep);
  double rounded = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), rounded);
  if (read.ec == std::errc::result_out_of_range) {
    rounded = decimal.exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  return rounded == 0 ? 0 : std::copysign(rounded, value);
}

bool RoundWhole(int64_t value, int32_t digits, bool to_even, int64_t& rounded) {
  rounded = value;
  if (digits >= 0) return true;
  rounded = 0;
  // No 64-bit number has more than 19 digits; all round to 0.
  if (digits < -19) return true;
  __int128 unit = 1;
  for (int32_t i = digits; i < 0; ++i) unit *= 10;
  const __int128 wide = value < 0 ? -static_cast<__int128>(value) : value;
  const __int128 rest = wide % unit, below = wide / unit;
  const bool up = rest * 2 > unit || (rest * 2 == unit && (!to_even || below % 2 == 1));
  __int128 result = (below + (up ? 1 : 0)) * unit;
  if (value < 0) result = -result;
  if (result != static_cast<int64_t>(result)) return false;
  rounded = static_cast<int64_t>(result);
  return true;
}

std::string JavaText(double value) { return WriteAsJava(value); }
std::string JavaText(float value) { return WriteAsJava(value); }

}  // namespace protium
