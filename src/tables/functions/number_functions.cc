// SPDX-License-Identifier: Apache-2.0
// Numbers in other bases, with separators, and shifted, as in Spark and Java.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strict_math.h"
#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/decimal_format.h"
#include "java/text_values.h"

namespace protium {
namespace {

// Puts commas between the thousands of a decimal number.
std::string WithCommas(std::string_view number) {
  const size_t point = std::min(number.find('.'), number.size());
  const size_t first = number.starts_with('-') ? 1 : 0;
  std::string text(number.substr(0, first));
  for (size_t i = first; i < point; ++i) {
    if (i > first && (point - i) % 3 == 0) text += ',';
    text += number[i];
  }
  return text + std::string(number.substr(point));
}

// Rounds to `digits` digits after the point, halves of the stored binary value to the even
// neighbour, as do printf and java.text.DecimalFormat, which Spark uses. The names of NaN and
// infinity are also DecimalFormat's.
std::optional<std::string> FormatNumber(Chunk&, double number, int32_t digits) {
  if (digits < 0) return std::nullopt;
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-∞" : "∞";
  return WithCommas(fmt::format("{:.{}f}", number, digits));
}

// Adds one to the last digit of a decimal number.
void Increase(std::string& number) {
  for (size_t i = number.size(); i-- > 0;) {
    if (number[i] == '-') break;
    if (number[i] == '.') continue;
    if (number[i] != '9') {
      ++number[i];
      return;
    }
    number[i] = '0';
  }
  number.insert(number.starts_with('-') ? 1 : 0, "1");
}

// The exact text of a whole number or a decimal, which a double would not hold, with this many
// digits after the point. Halves go to the even neighbour here as well.
std::string RoundText(Text text, int32_t digits) {
  std::string number(text);
  if (number.find('.') == std::string::npos) number += '.';
  const size_t end = number.find('.') + 1 + static_cast<size_t>(digits);
  if (number.size() < end) number.resize(end, '0');
  const std::string rest = number.substr(end);
  number.resize(end);
  if (digits == 0) number.pop_back();
  const bool half = rest.starts_with('5') && rest.find_first_not_of('0', 1) == std::string::npos;
  const bool odd = (number.back() - '0') % 2 == 1;
  if (half ? odd : rest > "5") Increase(number);
  return number;
}

std::optional<std::string> FormatDecimal(Chunk&, Text text, int32_t digits) {
  if (digits < 0) return std::nullopt;
  return WithCommas(RoundText(text, digits));
}

// Stores the pattern of the previous row: usually all rows have the same.
struct PatternChunk : Chunk {
  std::string text;
  std::optional<DecimalFormat> pattern;
};

const DecimalFormat* PatternOf(PatternChunk& chunk, Text text) {
  if (!chunk.pattern || chunk.text != text) {
    chunk.text = text;
    chunk.pattern = ReadDecimalFormat(text);
  }
  if (chunk.pattern) return &*chunk.pattern;
  chunk.error =
      fmt::format("format_number takes patterns of #, 0, commas and a point here, not '{}'",
                  text.substr(0, 80));
  return nullptr;
}

std::optional<std::string> FormatByPattern(PatternChunk& chunk, double number, Text text) {
  const DecimalFormat* const pattern = PatternOf(chunk, text);
  if (pattern == nullptr) return std::nullopt;
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) {
    return (number < 0 ? "-" : "") + pattern->before + "∞" + pattern->after;
  }
  return WriteByPattern(*pattern, fmt::format("{:.{}f}", number, pattern->most_fraction));
}

std::optional<std::string> FormatDecimalByPattern(PatternChunk& chunk, Text number, Text text) {
  const DecimalFormat* const pattern = PatternOf(chunk, text);
  if (pattern == nullptr) return std::nullopt;
  return WriteByPattern(*pattern, RoundText(number, pattern->most_fraction));
}

int ParseDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

std::string InBase(uint64_t value, uint64_t base) {
  std::string digits;
  do {
    digits += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % base];
    value /= base;
  } while (value > 0);
  return {digits.rbegin(), digits.rend()};
}

// conv() as Spark's NumberConverter does it, after Hive: reads digits as long as they are digits of
// the base. If the target base is negative the result has a sign; otherwise a negative number is
// written as its 64 bits, unsigned.
std::optional<std::string> Convert(Chunk& chunk, Text text, int32_t from, int32_t to) {
  text = TrimmedAsJava(text);
  const uint64_t base = static_cast<uint64_t>(from);
  const int64_t wanted = std::abs(static_cast<int64_t>(to));
  if (from < 2 || from > 36 || wanted < 2 || wanted > 36 || text.empty()) return std::nullopt;
  const bool minus = text.starts_with('-');
  uint64_t value = 0;
  for (const char c : text.substr(minus ? 1 : 0)) {
    const auto digit = static_cast<uint64_t>(ParseDigit(c));
    if (digit >= base) break;
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      chunk.error = fmt::format("overflow: '{}' does not fit 64 bits", text.substr(0, 80));
      return std::nullopt;
    }
  }
  bool negative = minus;
  // As in Hive: a magnitude that needs more than 63 bits becomes all ones.
  if (minus && to > 0) value = static_cast<int64_t>(value) < 0 ? ~uint64_t{0} : -value;
  if (to < 0 && !minus && static_cast<int64_t>(value) < 0) {
    value = -value;
    negative = true;
  }
  return (negative && to < 0 ? "-" : "") + InBase(value, static_cast<uint64_t>(wanted));
}

std::optional<std::string> Binary(Chunk&, int64_t value) {
  return InBase(static_cast<uint64_t>(value), 2);
}

std::optional<std::string> HexOfWhole(Chunk&, int64_t value) {
  return InBase(static_cast<uint64_t>(value), 16);
}

// 20! is the largest that fits 64 bits; beyond, Spark returns NULL.
std::optional<int64_t> Factorial(Chunk&, int32_t value) {
  if (value < 0 || value > 20) return std::nullopt;
  int64_t product = 1;
  for (int64_t i = 2; i <= value; ++i) product *= i;
  return product;
}

// Java's cast to long: NaN becomes 0, and a value out of range the nearest long. The bounds are
// 2^63 and -2^63: INT64_MAX itself is not a double.
std::optional<int64_t> Saturated(Chunk&, double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return INT64_MAX;
  return value < -9223372036854775808.0 ? INT64_MIN : static_cast<int64_t>(value);
}

std::optional<double> Hypotenuse(Chunk&, double a, double b) { return StrictHypot(a, b); }

// Spark's SQL returns NULL where a logarithm has no value, not IEEE's -infinity and NaN.
// Comparisons with NaN are false, so NaN passes through.
std::optional<double> Ln(Chunk&, double x) {
  if (x <= 0) return std::nullopt;
  return StrictLog(x);
}
std::optional<double> Log1p(Chunk&, double x) {
  if (x <= -1) return std::nullopt;
  return StrictLog1p(x);
}
std::optional<double> Expm1(Chunk&, double x) { return StrictExpm1(x); }

// The number, from 1, of the bucket that holds `value`, among `buckets` equal ones between the
// bounds; 0 before the first and buckets + 1 after the last. If low is above high, buckets count
// downwards.
std::optional<int64_t> WidthBucket(Chunk&, double value, double low, double high, int64_t buckets) {
  if (buckets <= 0 || buckets == INT64_MAX || std::isnan(value) || !std::isfinite(low) ||
      !std::isfinite(high) || low == high) {
    return std::nullopt;
  }
  const bool rising = low < high;
  if (rising ? value < low : value > low) return 0;
  if (rising ? value >= high : value <= high) return buckets + 1;
  return static_cast<int64_t>(static_cast<double>(buckets) * (value - low) / (high - low)) + 1;
}

// Java uses only the lowest 6 bits (5 for an int) of a shift's distance; in C++ larger distances
// are undefined.
std::optional<int64_t> ShiftLeft(Chunk&, int64_t value, int32_t bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (bits & 63));
}
std::optional<int64_t> ShiftRight(Chunk&, int64_t value, int32_t bits) {
  return value >> (bits & 63);
}
std::optional<int64_t> ShiftRightUnsigned(Chunk&, int64_t value, int32_t bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) >> (bits & 63));
}
std::optional<int32_t> ShiftLeftInt(Chunk&, int32_t value, int32_t bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << (bits & 31));
}
std::optional<int32_t> ShiftRightInt(Chunk&, int32_t value, int32_t bits) {
  return value >> (bits & 31);
}
std::optional<int32_t> ShiftRightUnsignedInt(Chunk&, int32_t value, int32_t bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) >> (bits & 31));
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Binary>("pt_bin"),
    AsRowFunction<&Convert>("pt_conv").FailsFor({0}),
    AsRowFunction<&Expm1>("pt_expm1"),
    AsRowFunction<&Factorial>("pt_factorial"),
    AsRowFunction<&FormatByPattern>("pt_format_by_pattern").FailsFor({1}),
    AsRowFunction<&FormatDecimal>("pt_format_decimal"),
    AsRowFunction<&FormatDecimalByPattern>("pt_format_decimal_by_pattern").FailsFor({1}),
    AsRowFunction<&FormatNumber>("pt_format_number"),
    AsRowFunction<&HexOfWhole>("pt_hex"),
    AsRowFunction<&Hypotenuse>("pt_hypot"),
    AsRowFunction<&Ln>("pt_ln"),
    AsRowFunction<&Log1p>("pt_log1p"),
    AsRowFunction<&Saturated>("pt_saturated"),
    AsRowFunction<&ShiftLeft>("pt_shift_left"),
    AsRowFunction<&ShiftLeftInt>("pt_shift_left_int"),
    AsRowFunction<&ShiftRight>("pt_shift_right"),
    AsRowFunction<&ShiftRightInt>("pt_shift_right_int"),
    AsRowFunction<&ShiftRightUnsigned>("pt_shift_right_unsigned"),
    AsRowFunction<&ShiftRightUnsignedInt>("pt_shift_right_unsigned_int"),
    AsRowFunction<&WidthBucket>("pt_width_bucket"),
};

}  // namespace

std::span<const RowFunction> NumberFunctions() { return kFunctions; }

}  // namespace protium
