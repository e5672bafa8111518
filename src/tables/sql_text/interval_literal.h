// SPDX-License-Identifier: Apache-2.0
// Intervals from one unit to another, as in INTERVAL '1 02:03' DAY TO MINUTE.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// Returns the same interval as DuckDB reads it from a text, each unit with its name: '1 DAY 2 HOUR
// 3 MINUTE'. Units are given in capitals, without a plural. Nullopt if Spark has no interval
// between these units, or the text is not an interval (IntervalUtils).
std::optional<std::string> DuckInterval(std::string_view text, std::string_view first,
                                        std::string_view last, bool negative);

}  // namespace protium
