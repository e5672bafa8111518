// SPDX-License-Identifier: Apache-2.0
// Times as numbers of seconds since 1970 and back, as Spark casts them (Cast, SparkDateTimeUtils).
// DuckDB has no such casts. What Spark moves to the largest time, beyond the year 294246, is an
// error here, even for TRY_CAST: NULL would be a different result.
#include <fmt/format.h>

#include <cmath>

#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/text_values.h"

namespace protium {
namespace {

constexpr int64_t kSecond = 1000000;

std::optional<Moment> Refuse(Chunk& chunk, std::string_view seconds) {
  chunk.error = fmt::format("{} seconds since 1970 are no time that tables hold", seconds);
  return std::nullopt;
}

// Rounded down, also before 1970.
std::optional<int64_t> WholeSeconds(Chunk&, Moment moment) {
  const int64_t seconds = moment.micros / kSecond;
  return moment.micros % kSecond < 0 ? seconds - 1 : seconds;
}

std::optional<double> RealSeconds(Chunk&, Moment moment) {
  return static_cast<double>(moment.micros) / static_cast<double>(kSecond);
}

std::optional<Moment> OfWhole(Chunk& chunk, int64_t seconds) {
  int64_t micros = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &micros)) {
    return Refuse(chunk, fmt::format("{}", seconds));
  }
  return Moment{micros};
}

// Nothing for NaN, infinities and what 64 bits of microseconds cannot hold.
std::optional<Moment> TryOfReal(Chunk&, double seconds) {
  const double micros = seconds * static_cast<double>(kSecond);
  // 2^63 is not an int64; comparisons with NaN are false.
  if (!(std::fabs(micros) < 9223372036854775808.0)) return std::nullopt;
  return Moment{static_cast<int64_t>(micros)};
}

std::optional<Moment> OfReal(Chunk& chunk, double seconds) {
  const auto moment = TryOfReal(chunk, seconds);
  return moment ? moment : Refuse(chunk, fmt::format("{}", seconds));
}

// From a decimal, given as plain digits: digits beyond microseconds are cut off.
std::optional<Moment> OfDigits(Chunk& chunk, Text digits) {
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string micros(digits.substr(0, point));
  std::string fraction(point < digits.size() ? digits.substr(point + 1, 6) : "");
  fraction.resize(6, '0');
  const auto whole = ReadWhole(micros + fraction);
  return whole ? std::optional(Moment{*whole}) : Refuse(chunk, digits);
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&OfDigits>("pt_time_of_digits"),
    AsRowFunction<&OfReal>("pt_time_of_real"),
    AsRowFunction<&OfWhole>("pt_time_of_whole"),
    AsRowFunction<&RealSeconds>("pt_real_seconds"),
    AsRowFunction<&TryOfReal>("pt_try_time_of_real"),
    AsRowFunction<&WholeSeconds>("pt_whole_seconds"),
};

}  // namespace

std::span<const RowFunction> TimeNumberFunctions() { return kFunctions; }

}  // namespace protium
