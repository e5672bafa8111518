// SPDX-License-Identifier: Apache-2.0
// Spark's intervals of days and times, which are numbers of microseconds (DayTimeIntervalType), and
// those of months. DuckDB's INTERVAL counts months, days and microseconds separately; here one kind
// counts months, the other days and microseconds together.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "functions/row_function.h"
#include "functions/themes.h"

namespace protium {
namespace {

constexpr int64_t kSecond = 1000000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                  kDay = 24 * kHour;

std::optional<int64_t> CountMicros(Chunk& chunk, duckdb_interval interval) {
  int64_t micros = 0;
  if (__builtin_mul_overflow(interval.days, kDay, &micros) ||
      __builtin_add_overflow(micros, interval.micros, &micros)) {
    chunk.error = "overflow: an interval does not fit 64 bits of microseconds";
    return std::nullopt;
  }
  return micros;
}

std::optional<duckdb_interval> OfMicros(Chunk&, int64_t micros) {
  return duckdb_interval{0, static_cast<int32_t>(micros / kDay), micros % kDay};
}

std::optional<duckdb_interval> Between(Chunk& chunk, Moment later, Moment earlier) {
  int64_t micros = 0;
  if (__builtin_sub_overflow(later.micros, earlier.micros, &micros)) {
    chunk.error = "overflow: the difference of two times does not fit 64 bits of microseconds";
    return std::nullopt;
  }
  return OfMicros(chunk, micros);
}

// Multiplies or divides by a double: rounded half away from zero.
std::optional<int64_t> Scaled(Chunk& chunk, int64_t micros, double factor, bool divide) {
  if (divide && factor == 0) {
    chunk.error = "division by zero";
    return std::nullopt;
  }
  const double exact =
      divide ? static_cast<double>(micros) / factor : static_cast<double>(micros) * factor;
  if (!(std::fabs(exact) < 9223372036854775808.0)) {
    chunk.error = "overflow: an interval does not fit 64 bits of microseconds";
    return std::nullopt;
  }
  return static_cast<int64_t>(std::round(exact));
}

// The parts that extract() takes of an interval, each with the interval's sign: all days, the hours
// of a day, the minutes of an hour, the microseconds of a minute; for months, all years and the
// months of a year.
std::optional<int64_t> Part(Chunk& chunk, Text part, duckdb_interval interval) {
  if (part == "year") return interval.months / 12;
  if (part == "month") return interval.months % 12;
  const auto micros = CountMicros(chunk, interval);
  if (!micros) return std::nullopt;
  if (part == "day") return *micros / kDay;
  if (part == "hour") return *micros % kDay / kHour;
  return part == "minute" ? *micros % kHour / kMinute : *micros % kMinute;
}

// Seconds with as many digits after the point as they need.
std::string WriteSeconds(uint64_t micros, bool padded) {
  std::string text = fmt::format("{:0{}}", micros / kSecond, padded ? 2 : 1);
  if (micros % kSecond == 0) return text;
  text += fmt::format(".{:06}", micros % kSecond);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

struct Unit {
  std::string_view name;
  int64_t micros;  // In one of the unit.
  char before;     // What separates it from the preceding unit.
};
constexpr std::array<Unit, 4> kUnits = {
    {{"DAY", kDay, ' '}, {"HOUR", kHour, ' '}, {"MINUTE", kMinute, ':'}, {"SECOND", kSecond, ':'}}};

// INTERVAL '1 02:03:04.5' DAY TO SECOND, from unit `first` to unit `last`
// (IntervalUtils.toDayTimeIntervalString).
std::optional<std::string> WriteDays(Chunk& chunk, duckdb_interval interval, int32_t first,
                                     int32_t last) {
  const auto micros = CountMicros(chunk, interval);
  if (!micros) return std::nullopt;
  uint64_t rest = *micros < 0 ? -static_cast<uint64_t>(*micros) : static_cast<uint64_t>(*micros);
  std::string text = *micros < 0 ? "-" : "";
  for (int32_t i = first; i <= last; ++i) {
    const Unit& unit = kUnits.at(static_cast<size_t>(i));
    if (i > first) text += unit.before;
    // Days have one digit or more, as do hours, minutes and seconds if they come first.
    const bool padded = i > 0;
    if (i == 3) {
      text += WriteSeconds(rest, padded);
    } else {
      text += fmt::format("{:0{}}", rest / unit.micros, padded ? 2 : 1);
    }
    rest %= static_cast<uint64_t>(unit.micros);
  }
  const std::string_view from = kUnits.at(static_cast<size_t>(first)).name;
  const std::string_view to = kUnits.at(static_cast<size_t>(last)).name;
  return first == last ? fmt::format("INTERVAL '{}' {}", text, from)
                       : fmt::format("INTERVAL '{}' {} TO {}", text, from, to);
}

// INTERVAL '1-2' YEAR TO MONTH.
std::optional<std::string> WriteMonths(Chunk&, duckdb_interval interval, int32_t first,
                                       int32_t last) {
  const int64_t months = std::abs(static_cast<int64_t>(interval.months));
  const std::string sign = interval.months < 0 ? "-" : "";
  if (first != last) {
    return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", sign, months / 12, months % 12);
  }
  return first == 0 ? fmt::format("INTERVAL '{}{}' YEAR", sign, months / 12)
                    : fmt::format("INTERVAL '{}{}' MONTH", sign, months);
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Between>("pt_between_times"),
    AsRowFunction<&CountMicros>("pt_interval_micros"),
    AsRowFunction<&OfMicros>("pt_interval_of_micros"),
    AsRowFunction<&Part>("pt_interval_part"),
    AsRowFunction<&Scaled>("pt_interval_scaled"),
    AsRowFunction<&WriteDays>("pt_interval_text"),
    AsRowFunction<&WriteMonths>("pt_months_text"),
};

}  // namespace

std::span<const RowFunction> IntervalFunctions() { return kFunctions; }

}  // namespace protium
