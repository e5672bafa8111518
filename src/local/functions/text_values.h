// SPDX-License-Identifier: Apache-2.0
// The values that text stands for where Spark casts it. Control characters and blanks around a
// value do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "local/functions/row_function.h"

namespace protium {

std::string_view Trimmed(std::string_view text);

std::optional<bool> ReadBoolean(std::string_view text);
std::optional<int64_t> ReadWhole(std::string_view text);

// Also what Java reads: 1d, 0x1p3, inf, NaN.
template <class Number>
std::optional<Number> ReadNumber(std::string_view text);

// A decimal of any width as digits with a point, no exponent: 1.5e-3 is .0015.
std::optional<std::string> ReadDecimal(std::string_view text);

// 2013, 2013-7, 2013-07-04; behind a day, a space or a T may be followed by anything.
std::optional<Day> ReadDay(std::string_view text);

// A day, or one with a time up to six digits behind the second's point, and then an offset from
// UTC. Sets `why` where Spark would know the moment and we do not.
std::optional<Moment> ReadMoment(std::string_view text, std::string& why);

// Days since 1970-01-01; nothing when there is no such day.
std::optional<int32_t> DaysOf(int64_t year, int64_t month, int64_t day);

}  // namespace protium
