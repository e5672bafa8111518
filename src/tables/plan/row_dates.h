// SPDX-License-Identifier: Apache-2.0
// Parts of dates and times, the same on all engines: the calendar of ISO 8601, extended to days
// before it existed, and UTC.
#pragma once

#include <cstdint>
#include <string_view>

namespace protium {

// Extracts a part of a day (since 1970-01-01) or of a time (in microseconds since then).
struct DatePart {
  std::string_view function;    // Its name in plan/functions.h: "year".
  int64_t (*of_day)(int64_t);   // One of the two is nullptr: a part of the day,
  int64_t (*of_time)(int64_t);  // or of the time of day, in seconds.

  int64_t OfDay(int64_t day) const { return of_day != nullptr ? of_day(day) : 0; }
  int64_t OfTime(int64_t micros) const;
};

// Returns nullptr for the name of another function.
const DatePart* FindDatePart(std::string_view function);

// Seconds since 1970-01-01 with their fractions, rounded once.
double UnixTimeOfDay(int64_t day);
double UnixTimeOf(int64_t micros);

}  // namespace protium
