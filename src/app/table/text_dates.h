// SPDX-License-Identifier: Apache-2.0
// Columns of text that hold dates in other ways than ISO's: 03/25/2017, 25.03.2017 14:05,
// 2017/03/25, 3/25/2017 2:05 PM. Every value is looked at, since SQL fails at the first that does
// not fit its pattern.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/table/profile.h"
#include "base/status.h"
#include "protium/stream.h"

namespace protium {

struct TextDate {
  std::string pattern;  // In Java's letters, as to_date() and to_timestamp() take it: "MM/dd/yyyy".
  bool time = false;    // With hours and minutes.
  bool either = false;  // Every value can be read day first or month first; this is month first.
};

// Whether a column's least and greatest values look like such dates.
bool MayHoldTextDates(const TableProfile& table);

// The pattern of a column by its least, greatest and most frequent values; empty where they are no
// such dates, or no value tells the day from the month.
TextDate LikelyDate(const ColumnProfile& column);

// By the names of those columns all of whose values, NULL aside, are dates of one pattern. `rows`
// are those of `table`.
Result<std::map<std::string, TextDate>> FindTextDates(BatchStream& rows, const TableProfile& table);

// Finds the pattern of values that are given one after another.
class DatePattern {
 public:
  void Read(std::string_view value);
  // The pattern that fits all values; empty: there is none, or no value.
  TextDate Found() const;

 private:
  bool failed_ = false;
  std::string shape_;  // What stands between the numbers; of the first value.
  bool year_first_ = false;
  bool month_first_ = true, day_first_ = true;  // Where the year comes last.
  bool one_digit_[4] = {};  // Of the two besides the year, hours in third place.
  bool afternoon_ = false;  // With AM or PM.
};

}  // namespace protium
