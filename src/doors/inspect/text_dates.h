// SPDX-License-Identifier: Apache-2.0
// Columns of text that hold dates in other formats than ISO's: 03/25/2017, 25.03.17 14:05,
// 2017/03/25, 3/25/2017 2:05 PM, 25 Mar 2017, March 25, 2017. Every value is checked, since SQL
// fails at the first one that does not match its pattern.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspect/place.h"
#include "leaks/table_profile.h"
#include "protium/stream.h"

namespace protium {

struct TextDate {
  std::string pattern;        // In Java's letters, for to_date() and to_timestamp(); empty: ISO.
  bool time = false;          // With hours and minutes.
  std::string other;          // Another pattern that fits every value; empty: none.
  bool short_year = false;    // Two digits, which the pattern reads as 2000 to 2099.
  bool last_century = false;  // Some years are 69 to 99.
  bool iso = false;           // Times with an offset or nanoseconds (iso_times.h), without pattern.
  // Values that do not match the pattern, and the first of them. They are fewer than those that do.
  int64_t odd_values = 0;
  std::string odd;
};

// Whether some column has a value, known without reading it again, that looks like such a date.
bool MayHoldTextDates(const TableProfile& table);

// Returns, by name, the columns in which most values other than NULL are dates of one pattern.
// `rows` are those of `table`.
Result<std::map<std::string, TextDate>> FindTextDates(BatchStream& rows, const TableProfile& table);

// The same for the table at a place, which is read again if it may hold such dates.
Result<std::map<std::string, TextDate>> FindTextDatesAt(const TypedPlace& place,
                                                        const CsvOptions& csv,
                                                        const TableProfile& table);

// Returns the expression that reads a column whose values all match: "to_date(day, 'MM/dd/yyyy')".
// Two-digit years from 69 to 99 are 1969 to 1999, as in POSIX.
std::string ReadingOf(const TextDate& date, const std::string& column);

// Returns the expression that turns odd values into NULLs, or reads them by a pattern of their own:
// "try_to_date(day, 'MM/dd/yyyy')".
std::string LooseReadingOf(const TextDate& date, const std::string& column);

// Finds the pattern of values that are added one after another. The first value that is a date
// determines what the others must look like.
class DatePattern {
 public:
  void Read(std::string_view value);
  // Without pattern if there is no date, or if most values are something else.
  TextDate Found() const;

  // The positions of year, month and day; -1: absent.
  struct Order {
    int year, month, day;
  };
  static constexpr std::array<Order, 5> kOrders = {
      {{2, 0, 1}, {2, 1, 0}, {0, 1, 2}, {1, 0, -1}, {0, 1, -1}}};
  struct Text;

 private:
  bool Fits(const Text& text);
  size_t Chosen() const;
  std::string PatternOf(const Order& order) const;

  std::bitset<kOrders.size()> orders_;  // The orders that fit every date so far.
  std::vector<std::string> behind_;     // The text after each number, in the first date.
  size_t parts_ = 0;                    // Those of the date; those of the time follow.
  bool named_ = false;                  // The month is a word, of more than three letters,
  bool long_name_ = false;              // or of three.
  bool short_name_ = false;
  bool short_year_ = false;
  std::array<bool, 4> one_digit_ = {};    // For the three parts and the hours.
  std::array<std::bitset<100>, 3> seen_;  // Numbers below 100 at each of the three positions.
  int64_t dates_ = 0, odd_values_ = 0;
  std::string odd_;
};

}  // namespace protium
