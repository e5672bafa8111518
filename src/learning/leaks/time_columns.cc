// SPDX-License-Identifier: Apache-2.0
#include "leaks/time_columns.h"

#include <arrow/api.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/text.h"
#include "leaks/pair_leaks.h"

namespace protium {
namespace {

constexpr double kMicrosOfSecond = 1e6, kMicrosOfDay = 86'400 * kMicrosOfSecond;
constexpr double kFirstSecond = 315'532'800, kLastSecond = 4'102'444'800;  // 1980 and 2100.
constexpr int64_t kFewestSeconds = 20;                                     // Different ones.

// Takes a number of `fewest` to `most` digits from the front.
std::optional<int> TakeNumber(std::string_view& text, size_t fewest, size_t most) {
  size_t digits = 0;
  int number = 0;
  while (digits < text.size() && digits < most && IsDigit(text[digits])) {
    number = number * 10 + (text[digits++] - '0');
  }
  if (digits < fewest) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool TakeSign(std::string_view& text, std::string_view signs) {
  if (text.empty() || signs.find(text[0]) == signs.npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> FirstMoment(int year, int month, int day) {
  using namespace std::chrono;
  const auto date = std::chrono::year{year} / month / day;
  if (!date.ok()) return std::nullopt;
  return double(sys_days(date).time_since_epoch().count()) * kMicrosOfDay;
}

std::optional<double> OfQuarter(int year, std::optional<int> quarter) {
  if (!quarter || *quarter < 1 || *quarter > 4) return std::nullopt;
  return FirstMoment(year, 3 * *quarter - 2, 1);
}

// "Q3 2019"
std::optional<double> OfQuarterFirst(std::string_view text) {
  const auto quarter = TakeNumber(text, 1, 1);
  TakeSign(text, " -/");
  const auto year = TakeNumber(text, 4, 4);
  return year && text.empty() ? OfQuarter(*year, quarter) : std::nullopt;
}

// All values that a profile shows of a column, and some: "top" is empty where each occurs once.
template <class Read>
bool Fits(const ColumnProfile& column, Read read) {
  const auto fits = [&](const auto& top) { return read(top.first).has_value(); };
  return read(column.least) && read(column.greatest) && std::ranges::all_of(column.top, fits);
}

// How many microseconds the unit of a column of numbers has; nothing if they count no time.
std::optional<double> UnitOf(const ColumnProfile& column) {
  const auto least = AllAsNumber<double>(column.least),
             greatest = AllAsNumber<double>(column.greatest);
  if (!least || !greatest || column.distinct < kFewestSeconds) return std::nullopt;
  for (const double per_second : {1., 1e3, 1e6, 1e9}) {
    const bool fits = *least >= kFirstSecond * per_second && *greatest <= kLastSecond * per_second;
    if (fits) return kMicrosOfSecond / per_second;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> TimeOfDayOfText(std::string_view text) {
  const auto hour = TakeNumber(text, 1, 2);
  if (!hour || *hour > 23 || !TakeSign(text, ":")) return std::nullopt;
  const auto minute = TakeNumber(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int second = 0;
  if (TakeSign(text, ":")) {
    const auto read = TakeNumber(text, 2, 2);
    if (!read || *read > 59) return std::nullopt;
    second = *read;
  }
  if (!text.empty()) return std::nullopt;
  return (*hour * 3600. + *minute * 60. + second) * kMicrosOfSecond;
}

std::optional<double> TimeOfText(std::string_view text) {
  if (TakeSign(text, "Q")) return OfQuarterFirst(text);
  const auto year = TakeNumber(text, 4, 4);
  if (!year) return std::nullopt;
  const bool apart = TakeSign(text, "-/ ");
  if (TakeSign(text, "Q")) {
    const auto quarter = TakeNumber(text, 1, 1);
    return text.empty() ? OfQuarter(*year, quarter) : std::nullopt;
  }
  const auto month = apart ? TakeNumber(text, 2, 2) : std::nullopt;
  if (!month) return std::nullopt;
  if (text.empty()) return FirstMoment(*year, *month, 1);
  const auto day = TakeSign(text, "-/") ? TakeNumber(text, 2, 2) : std::nullopt;
  const auto date = day ? FirstMoment(*year, *month, *day) : std::nullopt;
  if (!date || text.empty()) return date;
  const auto of_day = TakeSign(text, " T") ? TimeOfDayOfText(text) : std::nullopt;
  return of_day ? std::optional(*date + *of_day) : std::nullopt;
}

TimeColumn::TimeColumn(const ColumnProfile& column) {
  if (column.distinct == 0) return;
  switch (column.type->id()) {
    case arrow::Type::DATE32:
      form_ = Form::kDate;
      unit_ = kMicrosOfDay;
      return;
    case arrow::Type::TIMESTAMP:
      form_ = Form::kTime;
      return;
    case arrow::Type::STRING:
      if (Fits(column, TimeOfText)) form_ = Form::kText;
      if (Fits(column, TimeOfDayOfText)) form_ = Form::kOfDay;
      return;
    case arrow::Type::INT64:
    case arrow::Type::INT32:
    case arrow::Type::DOUBLE:
      if (const auto unit = UnitOf(column)) {
        form_ = Form::kSeconds;
        unit_ = *unit;
      }
      return;
    default:
      return;
  }
}

double TimeColumn::At(const arrow::Array& column, int64_t row) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (form_ == Form::kText || form_ == Form::kOfDay) {
    if (column.IsNull(row)) return kNone;
    const std::string_view text = static_cast<const arrow::StringArray&>(column).GetView(row);
    return (form_ == Form::kText ? TimeOfText(text) : TimeOfDayOfText(text)).value_or(kNone);
  }
  const auto number = NumberAt(column, row);
  return number ? *number * unit_ : kNone;
}

}  // namespace protium
