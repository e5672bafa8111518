// SPDX-License-Identifier: Apache-2.0
// The values that a text denotes when Spark casts it (UTF8String, Cast, SparkDateTimeUtils). Blanks
// and control characters around a value are ignored. All functions return nothing if the text is no
// such value, and never fail in another way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "java/calendar.h"

namespace protium {

// Without bytes up to 0x20, or 0x7f, at either end.
std::string_view TrimmedAsJava(std::string_view text);

// t, true, y, yes, 1 and their opposites, in any case.
std::optional<bool> ReadBoolean(std::string_view text);
// A sign and digits that fit 64 bits.
std::optional<int64_t> ReadWhole(std::string_view text);

// A number in decimal or hexadecimal, including forms that only Java reads: 1d, 0x1p3, inf, NaN.
template <class Number>
std::optional<Number> ReadNumber(std::string_view text);

// A decimal of any width, as digits with a point and no exponent: 1.5e-3 is .0015.
std::optional<std::string> ReadDecimal(std::string_view text);

// 2013, 2013-7, 2013-07-04. After a full date, a space or a T may be followed by anything.
std::optional<Day> ReadDay(std::string_view text);

// What a text says of a time: what the clock shows, in microseconds since 1970-01-01 00:00:00, and
// the zone of that clock; empty if the text names none.
struct ClockText {
  int64_t micros = 0;
  std::string_view zone = {};  // A part of the text.
};

// Reads a day, or a day with a time: up to six digits of the second's fraction count, and a zone
// may follow, which is not checked. Sets `why` if Spark would read the moment and this function
// cannot: that must be an error, not null.
std::optional<ClockText> ReadClockText(std::string_view text, std::string& why);

// Reads Z, UTC, +2, +02:00, +0200, +02:00:30, also behind UTC, GMT or UT; in seconds. Accepts the
// offsets that java.time.ZoneId does, up to 18 hours.
std::optional<int64_t> ReadOffset(std::string_view zone);

// Days since 1970-01-01 in the proleptic Gregorian calendar; nothing if there is no such day.
std::optional<int32_t> CountDays(int64_t year, int64_t month, int64_t day);

}  // namespace protium
