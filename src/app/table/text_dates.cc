// SPDX-License-Identifier: Apache-2.0
#include "app/table/text_dates.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace protium {
namespace {

// A value as numbers and what stands between them: {3, 25, 2017, 14, 5} and "// :".
struct Parts {
  std::vector<int> numbers;
  std::vector<size_t> digits;
  std::string shape;
};

std::optional<Parts> PartsOf(std::string_view value) {
  constexpr size_t kLongest = 24;
  if (value.empty() || value.size() > kLongest) return std::nullopt;
  Parts parts;
  for (size_t at = 0; at < value.size();) {
    if (value[at] < '0' || value[at] > '9') {
      parts.shape += value[at++];
      continue;
    }
    int number = 0;
    const size_t from = at;
    for (; at < value.size() && value[at] >= '0' && value[at] <= '9'; ++at) {
      if (at - from >= 4) return std::nullopt;
      number = number * 10 + (value[at] - '0');
    }
    parts.numbers.push_back(number);
    parts.digits.push_back(at - from);
  }
  return parts;
}

bool EndsInHalfOfDay(std::string_view shape) {
  return shape.ends_with(" AM") || shape.ends_with(" PM");
}

// Two equal signs, then nothing, hours and minutes, or seconds, too.
bool IsDateShape(std::string_view shape) {
  if (EndsInHalfOfDay(shape)) shape.remove_suffix(3);
  if (shape.size() < 2 || shape[0] != shape[1]) return false;
  if (std::string_view("/.-").find(shape[0]) == std::string_view::npos) return false;
  const std::string_view rest = shape.substr(2);
  return rest.empty() || rest == " :" || rest == " ::";
}

bool IsDay(int year, int month, int day) {
  using namespace std::chrono;
  return year_month_day(std::chrono::year(year), std::chrono::month(unsigned(month)),
                        std::chrono::day(unsigned(day)))
      .ok();
}

bool IsTimeOfDay(const Parts& parts, bool half) {
  if (parts.numbers.size() == 3) return !half;
  const int hour = parts.numbers[3];
  if (half ? hour < 1 || hour > 12 : hour > 23) return false;
  for (size_t i = 4; i < parts.numbers.size(); ++i) {
    if (parts.numbers[i] > 59 || parts.digits[i] != 2) return false;
  }
  return true;
}

bool LooksLikeDate(const std::string& value) {
  DatePattern pattern;
  pattern.Read(value);
  return !pattern.Found().pattern.empty();
}

bool MayHold(const ColumnProfile& column) {
  return column.type->id() == arrow::Type::STRING && LooksLikeDate(column.least) &&
         LooksLikeDate(column.greatest);
}

}  // namespace

void DatePattern::Read(std::string_view value) {
  if (failed_) return;
  auto parts = PartsOf(value);
  failed_ = true;
  if (!parts || !IsDateShape(parts->shape)) return;
  const bool half = EndsInHalfOfDay(parts->shape);
  std::string shape = parts->shape.substr(0, parts->shape.size() - (half ? 3 : 0));
  // As many numbers as their signs part.
  if (parts->numbers.size() != shape.size() + 1 || !IsTimeOfDay(*parts, half)) return;
  const bool year_first = parts->digits[0] == 4;
  if (!year_first && parts->digits[2] != 4) return;
  if (shape_.empty()) {
    shape_ = shape;
    year_first_ = year_first;
    afternoon_ = half;
  }
  if (shape != shape_ || year_first != year_first_ || half != afternoon_) return;
  const auto& n = parts->numbers;
  if (year_first) {
    day_first_ = false;
    month_first_ = month_first_ && IsDay(n[0], n[1], n[2]);
  } else {
    month_first_ = month_first_ && IsDay(n[2], n[0], n[1]);
    day_first_ = day_first_ && IsDay(n[2], n[1], n[0]);
  }
  if (!month_first_ && !day_first_) return;
  const size_t first = year_first ? 1 : 0;
  if (parts->digits[first] > 2 || parts->digits[first + 1] > 2) return;
  one_digit_[0] = one_digit_[0] || parts->digits[first] == 1;
  one_digit_[1] = one_digit_[1] || parts->digits[first + 1] == 1;
  if (n.size() > 3) one_digit_[2] = one_digit_[2] || parts->digits[3] == 1;
  failed_ = false;
}

TextDate DatePattern::Found() const {
  if (failed_ || shape_.empty()) return {};
  // Between points the day comes first, and between slashes the month, where both can be.
  const bool day_first = day_first_ && (!month_first_ || shape_[0] == '.');
  const std::string month = one_digit_[day_first ? 1 : 0] ? "M" : "MM";
  const std::string day = one_digit_[day_first ? 0 : 1] ? "d" : "dd";
  const std::string sign = shape_.substr(0, 1);
  TextDate found{.time = shape_.size() > 2,
                 .either = day_first_ && month_first_ && shape_[0] != '.'};
  found.pattern = year_first_ ? "yyyy" + sign + month + sign + day
                  : day_first ? day + sign + month + sign + "yyyy"
                              : month + sign + day + sign + "yyyy";
  if (!found.time) return found;
  const std::string hour = afternoon_ ? "h" : "H";
  found.pattern += " " + (one_digit_[2] ? hour : hour + hour) + ":mm";
  if (shape_.size() > 4) found.pattern += ":ss";
  if (afternoon_) found.pattern += " a";
  return found;
}

TextDate LikelyDate(const ColumnProfile& column) {
  if (!MayHold(column)) return {};
  DatePattern pattern;
  pattern.Read(column.least);
  pattern.Read(column.greatest);
  for (const auto& [value, rows] : column.top) pattern.Read(value);
  return pattern.Found();
}

bool MayHoldTextDates(const TableProfile& table) {
  for (const ColumnProfile& each : table.columns) {
    if (MayHold(each)) return true;
  }
  return false;
}

Result<std::map<std::string, TextDate>> FindTextDates(BatchStream& rows,
                                                      const TableProfile& table) {
  std::map<size_t, DatePattern> patterns;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (MayHold(table.columns[i])) patterns.emplace(i, DatePattern());
  }
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, rows.Next());
    if (!batch) break;
    for (auto& [place, pattern] : patterns) {
      const auto& column = static_cast<const arrow::StringArray&>(*batch->column(int(place)));
      for (int64_t row = 0; row < column.length(); ++row) {
        if (!column.IsNull(row)) pattern.Read(column.GetView(row));
      }
    }
  }
  std::map<std::string, TextDate> dates;
  for (const auto& [place, pattern] : patterns) {
    TextDate found = pattern.Found();
    if (!found.pattern.empty()) dates.emplace(table.columns[place].name, std::move(found));
  }
  return dates;
}

}  // namespace protium
