// SPDX-License-Identifier: Apache-2.0
// The values that text stands for where Spark casts it (UTF8String, Cast, SparkDateTimeUtils).
// Blanks and control characters around a value do not count. All return nothing if the text is no
// such value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "local/functions/row_function.h"

namespace protium {

// Without bytes up to 0x20, and 0x7f, on either side.
std::string_view Trimmed(std::string_view text);

// t, true, y, yes, 1 and their opposites, in any case.
std::optional<bool> ReadBoolean(std::string_view text);
// A sign and digits that fit 64 bits.
std::optional<int64_t> ReadWhole(std::string_view text);

// A number in decimal or hexadecimal, also what only Java reads: 1d, 0x1p3, inf, NaN.
template <class Number>
std::optional<Number> ReadNumber(std::string_view text);

// A decimal of any width, as digits with a point and no exponent: 1.5e-3 is .0015.
std::optional<std::string> ReadDecimal(std::string_view text);

// 2013, 2013-7, 2013-07-04. Behind a whole day, a space or a T may be followed by anything.
std::optional<Day> ReadDay(std::string_view text);

// A day; or a day with a time, up to six digits of a second's fraction counting, and then an offset
// from UTC. Sets `why` if Spark would know the moment and this does not: that must be an error, not
// null.
std::optional<Moment> ReadMoment(std::string_view text, std::string& why);

// Days since 1970-01-01 in the proleptic Gregorian calendar; nothing if there is no such day.
std::optional<int32_t> CountDays(int64_t year, int64_t month, int64_t day);

}  // namespace protium
