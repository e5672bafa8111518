// SPDX-License-Identifier: Apache-2.0
// Times counted in units (timestampadd, timestampdiff) and made from their fields, as
// java.time.LocalDateTime does it. Units are written in capitals.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/text_values.h"

namespace protium {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::sys_time;
using std::chrono::year_month_day;

constexpr int64_t kSecond = 1000000, kDay = 86400 * kSecond;

struct Unit {
  std::string_view name;
  int64_t micros;  // In one of the unit; 0 for a unit of months.
  int64_t months;
};
constexpr Unit kUnits[] = {{"YEAR", 0, 12},
                           {"QUARTER", 0, 3},
                           {"MONTH", 0, 1},
                           {"WEEK", 7 * kDay, 0},
                           {"DAY", kDay, 0},
                           {"DAYOFYEAR", kDay, 0},
                           {"HOUR", 3600 * kSecond, 0},
                           {"MINUTE", 60 * kSecond, 0},
                           {"SECOND", kSecond, 0},
                           {"MILLISECOND", 1000, 0},
                           {"MICROSECOND", 1, 0}};

// The units are those in the reader's list (sql_text/spark_operands.cc), so one is always found.
const Unit& FindUnit(Text name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit;
  }
  return kUnits[4];
}

// Months from year 0, and the rest of the time, in microseconds.
struct Months {
  int64_t months = 0;
  int64_t rest = 0;
};

Months CountMonths(Moment moment) {
  const sys_time<microseconds> time{microseconds(moment.micros)};
  const auto day = std::chrono::floor<days>(time);
  const year_month_day date(day);
  const int64_t months =
      int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
  const int64_t since_first = static_cast<unsigned>(date.day()) - 1;
  return {months, since_first * kDay + (time - day).count()};
}

// If the month has no such day, its last day is used.
std::optional<int64_t> MoveMonths(Moment moment, int64_t months) {
  constexpr int64_t kMostMonths = 12 * 32000;  // The library's years have 15 bits and a sign.
  if (std::abs(moment.micros / kDay) > 11'000'000 || std::abs(months) > kMostMonths) {
    return std::nullopt;
  }
  const Months from = CountMonths(moment);
  const int64_t moved = from.months + months;
  const int64_t year = (moved >= 0 ? moved : moved - 11) / 12;
  if (std::abs(year) > 32000) return std::nullopt;
  const int64_t month = moved - year * 12 + 1;
  int64_t day = from.rest / kDay + 1;
  auto found = CountDays(year, month, day);
  while (!found) found = CountDays(year, month, --day);
  return *found * kDay + from.rest % kDay;
}

// timestampadd(unit, count, time).
std::optional<Moment> Add(Chunk& chunk, Text name, int64_t count, Moment moment) {
  const Unit& unit = FindUnit(name);
  std::optional<int64_t> moved;
  int64_t product = 0, sum = 0;
  if (unit.months == 0) {
    if (!__builtin_mul_overflow(count, unit.micros, &product) &&
        !__builtin_add_overflow(moment.micros, product, &sum)) {
      moved = sum;
    }
  } else if (!__builtin_mul_overflow(count, unit.months, &product)) {
    moved = MoveMonths(moment, product);
  }
  if (moved) return Moment{*moved};
  chunk.error = fmt::format("overflow: a time moved by {} {} is out of range", count, name);
  return std::nullopt;
}

// timestampdiff(unit, from, to): the whole units in between, cut off towards zero.
std::optional<int64_t> Count(Chunk& chunk, Text name, Moment from, Moment to) {
  const Unit& unit = FindUnit(name);
  if (unit.months == 0) {
    int64_t micros = 0;
    if (!__builtin_sub_overflow(to.micros, from.micros, &micros)) return micros / unit.micros;
    chunk.error = "overflow: the difference of two times does not fit 64 bits of microseconds";
    return std::nullopt;
  }
  const Months a = CountMonths(from), b = CountMonths(to);
  int64_t months = b.months - a.months;
  if (months > 0 && b.rest < a.rest) --months;
  if (months < 0 && b.rest > a.rest) ++months;
  return months / unit.months;
}

// From a day's fields and the microseconds since the minute began. Java's LocalDateTime accepts no
// other values; 60 seconds without a fraction are the next minute.
std::optional<Moment> TryMake(Chunk&, int32_t year, int32_t month, int32_t day, int32_t hour,
                              int32_t minute, int64_t micros) {
  const bool fits =
      hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && micros >= 0 && micros <= 60 * kSecond;
  const auto date = fits && std::abs(year) < 290000 ? CountDays(year, month, day) : std::nullopt;
  if (!date) return std::nullopt;
  return Moment{*date * kDay + (int64_t{hour} * 60 + minute) * 60 * kSecond + micros};
}

std::optional<Moment> Make(Chunk& chunk, int32_t year, int32_t month, int32_t day, int32_t hour,
                           int32_t minute, int64_t micros) {
  const auto made = TryMake(chunk, year, month, day, hour, minute, micros);
  if (!made) {
    chunk.error =
        fmt::format("there is no time {}-{:02}-{:02} {:02}:{:02} with {} seconds", year, month, day,
                    hour, minute, static_cast<double>(micros) / static_cast<double>(kSecond));
  }
  return made;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Add>("pt_add_units"),
    AsRowFunction<&Count>("pt_count_units"),
    AsRowFunction<&Make>("pt_make_time"),
    AsRowFunction<&TryMake>("pt_try_make_time"),
};

}  // namespace

std::span<const RowFunction> TimeUnitFunctions() { return kFunctions; }

}  // namespace protium
