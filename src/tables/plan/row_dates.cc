// SPDX-License-Identifier: Apache-2.0
#include "plan/row_dates.h"

#include <algorithm>
#include <iterator>

namespace protium {
namespace {

constexpr int64_t kSecondsOfDay = 86'400, kMicrosOfSecond = 1'000'000;

constexpr int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t Modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

struct Date {
  int64_t year = 0, month = 0, day = 0;
};

// Counts years from March, so that the leap day is the last of a year, in eras of 400 years, which
// all have the same length (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
constexpr Date DateOf(int64_t days) {
  days += 719'468;  // Since 0000-03-01.
  const int64_t era = FloorDivide(days, 146'097), of_era = Modulo(days, 146'097);
  const int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * of_year + 2) / 153;  // 0 is March.
  return {.year = year + era * 400 + (month >= 10 ? 1 : 0),
          .month = month < 10 ? month + 3 : month - 9,
          .day = of_year - (153 * month + 2) / 5 + 1};
}

constexpr int64_t FirstDayOf(int64_t year) {
  const int64_t before = year - 1;  // January belongs to the year that began in the previous March.
  return 365 * before + FloorDivide(before, 4) - FloorDivide(before, 100) +
         FloorDivide(before, 400) + 306 - 719'468;
}

constexpr int64_t YearOf(int64_t day) { return DateOf(day).year; }
constexpr int64_t MonthOf(int64_t day) { return DateOf(day).month; }
constexpr int64_t QuarterOf(int64_t day) { return (DateOf(day).month + 2) / 3; }
constexpr int64_t DayOf(int64_t day) { return DateOf(day).day; }
constexpr int64_t DayOfYear(int64_t day) { return day - FirstDayOf(YearOf(day)) + 1; }
// Sunday is 1. 1970-01-01 was a Thursday.
constexpr int64_t DayOfWeek(int64_t day) { return Modulo(day + 4, 7) + 1; }
// A week belongs to the year of its Thursday.
constexpr int64_t WeekOfYear(int64_t day) {
  const int64_t thursday = day + 3 - Modulo(day + 3, 7);
  return (thursday - FirstDayOf(YearOf(thursday))) / 7 + 1;
}
constexpr int64_t HourOf(int64_t seconds) { return Modulo(seconds, kSecondsOfDay) / 3'600; }
constexpr int64_t MinuteOf(int64_t seconds) { return Modulo(seconds, 3'600) / 60; }
constexpr int64_t SecondOf(int64_t seconds) { return Modulo(seconds, 60); }

static_assert(FirstDayOf(1970) == 0 && FirstDayOf(2000) == 10'957 && YearOf(-1) == 1969);
static_assert(WeekOfYear(0) == 1 && DayOfWeek(0) == 5 && DayOfYear(-1) == 365);

constexpr DatePart kParts[] = {{"day", DayOf, nullptr},
                               {"day_of_week", DayOfWeek, nullptr},
                               {"day_of_year", DayOfYear, nullptr},
                               {"hour", nullptr, HourOf},
                               {"minute", nullptr, MinuteOf},
                               {"month", MonthOf, nullptr},
                               {"quarter", QuarterOf, nullptr},
                               {"second", nullptr, SecondOf},
                               {"week_of_year", WeekOfYear, nullptr},
                               {"year", YearOf, nullptr}};

}  // namespace

int64_t DatePart::OfTime(int64_t micros) const {
  const int64_t seconds = FloorDivide(micros, kMicrosOfSecond);
  return of_time != nullptr ? of_time(seconds) : of_day(FloorDivide(seconds, kSecondsOfDay));
}

const DatePart* FindDatePart(std::string_view function) {
  const auto* const found = std::ranges::find(kParts, function, &DatePart::function);
  return found == std::end(kParts) ? nullptr : found;
}

double UnixTimeOfDay(int64_t day) { return static_cast<double>(day * kSecondsOfDay); }
double UnixTimeOf(int64_t micros) {
  return static_cast<double>(micros) / static_cast<double>(kMicrosOfSecond);
}

}  // namespace protium
