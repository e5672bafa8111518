// SPDX-License-Identifier: Apache-2.0
// What `rolling` and `expanding` compute of the values in a window. NULL and NaN are left out.
#pragma once

#include <cstdint>
#include <string>

#include "protium/fields.h"
#include "stages/history_stage.h"

namespace protium {

enum class WindowNumber { kMean, kSum, kMin, kMax, kStd, kCount };
inline EnumNames<WindowNumber> Names(WindowNumber) {
  return {{{WindowNumber::kMean, "mean"},
           {WindowNumber::kSum, "sum"},
           {WindowNumber::kMin, "min"},
           {WindowNumber::kMax, "max"},
           {WindowNumber::kStd, "std"},
           {WindowNumber::kCount, "count"}}};
}

std::string NameOf(WindowNumber number);

// Refuses an empty list, and one that names a number twice.
Status CheckNumbers(const std::vector<WindowNumber>& of, const std::string& path);

// SQL of the number of `value`, a column of doubles, over the window `over`; NULL for fewer than
// `least` values. Sums are exact to 2^-52 a value and do not depend on the order of adding; a value
// of 10^15 or more fails the query with a message that names `column`. kStd is the deviation of a
// sample, added up in the order of time: it is NULL for one value, and costs as much as the window
// is long.
std::string NumberOver(WindowNumber number, const std::string& column, const std::string& value,
                       const std::string& over, int64_t least, WindowCalls& calls);

}  // namespace protium
