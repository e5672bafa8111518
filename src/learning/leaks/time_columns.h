// SPDX-License-Identifier: Apache-2.0
// Columns of points in time, in whatever form they come: dates, times, numbers of seconds since
// 1970, and texts such as "2019-Q3", "2024-03-25" and "14:05".
#pragma once

#include <arrow/array.h>

#include <optional>
#include <string_view>

#include "leaks/table_profile.h"

namespace protium {

class TimeColumn {
 public:
  enum class Form { kNone, kDate, kTime, kSeconds, kText, kOfDay };
  // By the type of a column and the values that its profile has. Whole numbers of the years 1980
  // to 2100, in seconds or parts of them, are seen as such.
  explicit TimeColumn(const ColumnProfile& column);

  Form form() const { return form_; }
  // Microseconds since 1970, or since midnight; NaN for NULL and what is no time.
  double At(const arrow::Array& column, int64_t row) const;

 private:
  Form form_ = Form::kNone;
  double unit_ = 1;  // Microseconds of a number.
};

// Microseconds since 1970 of the first day of "2019-Q3", "2019Q3" or "Q3 2019", of "2024-03" and
// of "2024-03-25", the last with " 14:05:10" or "T14:05" behind it, too.
std::optional<double> TimeOfText(std::string_view text);

// Microseconds since midnight of "14:05" and "9:05:10".
std::optional<double> TimeOfDayOfText(std::string_view text);

}  // namespace protium
