// SPDX-License-Identifier: Apache-2.0
#include "inspect/text_dates.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "inspect/folder_tables.h"
#include "inspect/iso_times.h"

namespace protium {

// A value as its numbers, including the name of a month, and the text after each: {3, 25, 2017, 14,
// 5} and {"/", "/", " ", ":", ""}.
struct DatePattern::Text {
  std::vector<int> numbers;
  std::vector<size_t> digits;  // 0: a name.
  std::vector<std::string> behind;
  std::string name;  // Of the month, in small letters.
};

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
// DateTimeFormatter reads two digits as 2000 to 2099.
constexpr int kFirstShortYear = 2000;
constexpr int kLastCenturyFrom = 69;

// Returns 1 to 12 for a month's name or its first three letters; 0 for other words.
int MonthOf(const std::string& word) {
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (word == kMonths[i] || word == kMonths[i].substr(0, 3)) return int(i) + 1;
  }
  return 0;
}

// Takes a number of at most four digits from the front of `value`; false if it is longer.
bool TakeNumber(std::string_view& value, DatePattern::Text& text) {
  size_t digits = 0;
  int number = 0;
  for (; digits < value.size() && IsDigit(value[digits]); ++digits) {
    if (digits == 4) return false;
    number = number * 10 + (value[digits] - '0');
  }
  text.numbers.push_back(number);
  text.digits.push_back(digits);
  text.behind.emplace_back();
  value.remove_prefix(digits);
  return true;
}

// Takes a month's name, or AM or PM, which belongs to the text after the last number.
bool TakeWord(std::string_view& value, DatePattern::Text& text) {
  const size_t letters = size_t(std::ranges::find_if_not(value, IsLetter) - value.begin());
  const std::string word = Lower(value.substr(0, letters));
  value.remove_prefix(letters);
  if (const int month = MonthOf(word); month != 0 && text.name.empty()) {
    text.name = word;
    text.numbers.push_back(month);
    text.digits.push_back(0);
    text.behind.emplace_back();
    return true;
  }
  if (text.behind.empty() || (word != "am" && word != "pm")) return false;
  text.behind.back() += "a";
  return true;
}

std::optional<DatePattern::Text> TextOf(std::string_view value) {
  constexpr size_t kLongest = 32, kMostNumbers = 6;
  if (value.empty() || value.size() > kLongest) return std::nullopt;
  DatePattern::Text text;
  while (!value.empty()) {
    if (text.numbers.size() > kMostNumbers) return std::nullopt;
    if (IsDigit(value[0])) {
      if (!TakeNumber(value, text)) return std::nullopt;
    } else if (IsLetter(value[0])) {
      if (!TakeWord(value, text)) return std::nullopt;
    } else {
      if (text.behind.empty()) return std::nullopt;
      text.behind.back() += value[0];
      value.remove_prefix(1);
    }
  }
  return text;
}

// Returns how many of the numbers belong to the date: those before the first one followed by a
// colon.
size_t PartsOf(const DatePattern::Text& text) {
  const auto colon = std::ranges::find(text.behind, ":");
  return size_t(colon - text.behind.begin());
}

bool IsDay(int year, int month, int day) {
  using namespace std::chrono;
  return year_month_day(std::chrono::year(year), std::chrono::month(unsigned(month)),
                        std::chrono::day(unsigned(day)))
      .ok();
}

// Whether hours, minutes and possibly seconds follow; "a" stands for AM and PM.
bool IsTimeOfDay(const DatePattern::Text& text, size_t from) {
  const size_t count = text.numbers.size() - from;
  if (count == 0) return true;
  if (count < 2 || count > 3 || from == 0) return false;
  const std::string& before = text.behind[from - 1];
  if (before != " " && before != ", ") return false;
  const bool half = text.behind.back() == " a";
  if (!half && !text.behind.back().empty()) return false;
  const int hour = text.numbers[from];
  if (text.digits[from] == 0 || text.digits[from] > 2) return false;
  if (half ? hour < 1 || hour > 12 : hour > 23) return false;
  for (size_t i = from + 1; i < text.numbers.size(); ++i) {
    if (text.numbers[i] > 59 || text.digits[i] != 2) return false;
    if (i + 1 < text.numbers.size() && text.behind[i] != ":") return false;
  }
  return true;
}

// Separators of a date: between numbers the same one twice; around a name also blanks.
bool AreDateSigns(const DatePattern::Text& text, size_t parts) {
  if (parts < 2 || parts > 3) return false;
  if (parts == text.numbers.size() && !text.behind[parts - 1].empty()) return false;
  if (text.name.empty()) {
    const std::string& sign = text.behind[0];
    if (sign != "/" && sign != "." && sign != "-") return false;
    return parts == 2 || text.behind[1] == sign;
  }
  return std::all_of(text.behind.begin(), text.behind.begin() + int(parts) - 1,
                     [](const std::string& sign) {
                       return sign.empty() || sign == " " || sign == ", " || sign == ". " ||
                              sign == "-" || sign == "/" || sign == ".";
                     });
}

bool HasLongYear(const DatePattern::Text& text, size_t parts) {
  return std::any_of(text.digits.begin(), text.digits.begin() + int(parts),
                     [](size_t digits) { return digits == 4; });
}

// Whether the numbers can be read in this order. A month and a year without a day need a four-digit
// year: "Mar-24" may as well be a day.
bool FitsOrder(const DatePattern::Text& text, size_t parts, const DatePattern::Order& order) {
  if ((order.day < 0) != (parts == 2)) return false;
  const bool is_short = !HasLongYear(text, parts);
  const auto digits = [&](int part) { return text.digits[size_t(part)]; };
  if (digits(order.year) != (is_short ? 2u : 4u) || (order.day < 0 && is_short)) return false;
  if ((digits(order.month) == 0) != !text.name.empty() || digits(order.month) > 2) return false;
  if (order.day >= 0 && (digits(order.day) == 0 || digits(order.day) > 2)) return false;
  const int year = text.numbers[size_t(order.year)] + (is_short ? kFirstShortYear : 0);
  return IsDay(year, text.numbers[size_t(order.month)],
               order.day < 0 ? 1 : text.numbers[size_t(order.day)]);
}

bool LooksLikeDate(const std::string& value) {
  if (IsIsoTime(value)) return true;
  DatePattern pattern;
  pattern.Read(value);
  return !pattern.Found().pattern.empty();
}

// Checks the values that a profile contains.
bool MayHold(const ColumnProfile& column) {
  if (column.type->id() != arrow::Type::STRING) return false;
  const auto is_date = [](const auto& top) { return LooksLikeDate(top.first); };
  return LooksLikeDate(column.least) || LooksLikeDate(column.greatest) ||
         std::ranges::any_of(column.top, is_date);
}

// Both ways in which the values of a column may be times.
struct Candidate {
  DatePattern pattern;
  TextDate iso = {.time = true, .iso = true};
  int64_t iso_times = 0;

  void Read(std::string_view value) {
    pattern.Read(value);
    if (IsIsoTime(value)) {
      ++iso_times;
    } else if (iso.odd_values++ == 0) {
      iso.odd = std::string(value);
    }
  }
  std::optional<TextDate> Found() const {
    if (iso_times > iso.odd_values) return iso;
    TextDate found = pattern.Found();
    return found.pattern.empty() ? std::nullopt : std::optional(std::move(found));
  }
};

}  // namespace

void DatePattern::Read(std::string_view value) {
  const std::optional<Text> text = TextOf(value);
  if (text && Fits(*text)) {
    ++dates_;
    return;
  }
  if (odd_values_++ == 0) odd_ = std::string(value);
}

bool DatePattern::Fits(const Text& text) {
  const size_t parts = PartsOf(text);
  if (!AreDateSigns(text, parts) || !IsTimeOfDay(text, parts)) return false;
  std::bitset<kOrders.size()> orders;
  for (size_t i = 0; i < kOrders.size(); ++i) orders[i] = FitsOrder(text, parts, kOrders[i]);
  const bool is_short = !HasLongYear(text, parts);
  if (dates_ > 0) {
    orders &= orders_;
    const bool alike = text.behind == behind_ && parts == parts_ && is_short == short_year_ &&
                       named_ == !text.name.empty();
    const bool name_fits =
        text.name.size() <= 3 ? !long_name_ || text.name == "may" || !named_ : !short_name_;
    if (!alike || !name_fits) return false;
  }
  if (orders.none()) return false;
  orders_ = orders;
  behind_ = text.behind;
  parts_ = parts;
  short_year_ = is_short;
  named_ = !text.name.empty();
  // "May" is a name of both lengths.
  long_name_ = long_name_ || text.name.size() > 3;
  short_name_ = short_name_ || (named_ && text.name.size() == 3 && text.name != "may");
  for (size_t i = 0; i < parts; ++i) {
    one_digit_[i] = one_digit_[i] || text.digits[i] == 1;
    if (text.numbers[i] < 100) seen_[i].set(size_t(text.numbers[i]));
  }
  if (parts < text.numbers.size()) one_digit_[3] = one_digit_[3] || text.digits[parts] == 1;
  return true;
}

// Between points the day comes first, otherwise the month, if both are possible. If a two-digit
// year could come first or last, the position with more different numbers is the day's.
size_t DatePattern::Chosen() const {
  constexpr size_t kMonthFirst = 0, kDayFirst = 1, kYearFirst = 2;
  if (orders_[kDayFirst] && (behind_[0] == "." || !orders_[kMonthFirst])) {
    const bool year = orders_[kYearFirst] && seen_[0].count() < seen_[2].count();
    return year ? kYearFirst : kDayFirst;
  }
  size_t first = 0;
  while (!orders_[first]) ++first;
  return first;
}

std::string DatePattern::PatternOf(const Order& order) const {
  std::string pattern;
  for (int i = 0; i < int(parts_); ++i) {
    const bool one = one_digit_[size_t(i)];
    if (i == order.year) pattern += short_year_ ? "yy" : "yyyy";
    if (i == order.month) pattern += named_ ? (long_name_ ? "MMMM" : "MMM") : one ? "M" : "MM";
    if (i == order.day) pattern += one ? "d" : "dd";
    pattern += behind_[size_t(i)];
  }
  if (behind_.size() == parts_) return pattern;
  const bool half = behind_.back() == " a";
  const std::string hour = half ? "h" : "H";
  pattern += (one_digit_[3] ? hour : hour + hour) + ":mm";
  if (behind_.size() - parts_ > 2) pattern += ":ss";
  return pattern + (half ? " a" : "");
}

TextDate DatePattern::Found() const {
  if (dates_ == 0 || odd_values_ >= dates_) return {};
  const size_t chosen = Chosen();
  TextDate found{.pattern = PatternOf(kOrders[chosen]),
                 .time = behind_.size() > parts_,
                 .short_year = short_year_,
                 .odd_values = odd_values_,
                 .odd = odd_};
  // A day between points, or before the name of its month, comes first.
  const bool sure = kOrders[chosen].day == 0 && (named_ || behind_[0] == ".");
  for (size_t i = 0; i < kOrders.size() && !sure; ++i) {
    if (orders_[i] && i != chosen && found.other.empty()) found.other = PatternOf(kOrders[i]);
  }
  const auto& years = seen_[size_t(kOrders[chosen].year)];
  for (size_t year = kLastCenturyFrom; short_year_ && year < years.size(); ++year) {
    found.last_century = found.last_century || years[year];
  }
  return found;
}

bool MayHoldTextDates(const TableProfile& table) {
  return std::ranges::any_of(table.columns, MayHold);
}

Result<std::map<std::string, TextDate>> FindTextDates(BatchStream& rows,
                                                      const TableProfile& table) {
  std::map<size_t, Candidate> candidates;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (MayHold(table.columns[i])) candidates.emplace(i, Candidate());
  }
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, rows.Next());
    if (!batch) break;
    for (auto& [place, candidate] : candidates) {
      const auto& column = static_cast<const arrow::StringArray&>(*batch->column(int(place)));
      for (int64_t row = 0; row < column.length(); ++row) {
        if (!column.IsNull(row)) candidate.Read(column.GetView(row));
      }
    }
  }
  std::map<std::string, TextDate> dates;
  for (const auto& [place, candidate] : candidates) {
    if (auto found = candidate.Found()) {
      dates.emplace(table.columns[place].name, std::move(*found));
    }
  }
  return dates;
}

Result<std::map<std::string, TextDate>> FindTextDatesAt(const TypedPlace& place,
                                                        const CsvOptions& csv,
                                                        const TableProfile& table) {
  std::map<std::string, TextDate> none;
  if (!MayHoldTextDates(table)) return none;
  SessionOptions options;
  options.base = std::filesystem::current_path();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(options));
  PT_LET(const BatchStreamPtr rows, OpenPlace(*session, place, csv).Stream());
  return FindTextDates(*rows, table);
}

// Two-digit years as in POSIX, of a value that the pattern has read as one of 2000 to 2099.
static std::string WithLastCentury(const std::string& read, bool time) {
  return fmt::format("CASE WHEN {0} < {1} '{2}-01-01' THEN {0} ELSE {0} - INTERVAL 100 YEAR END",
                     read, time ? "TIMESTAMP" : "DATE", kFirstShortYear + kLastCenturyFrom);
}

std::string ReadingOf(const TextDate& date, const std::string& column) {
  if (date.iso) return fmt::format("to_timestamp({})", column);
  const std::string read =
      fmt::format("{}({}, '{}')", date.time ? "to_timestamp" : "to_date", column, date.pattern);
  return date.last_century ? WithLastCentury(read, date.time) : read;
}

// Of values that nobody has seen, any may be of the last century.
std::string LooseReadingOf(const TextDate& date, const std::string& column) {
  if (date.iso) return fmt::format("try_to_timestamp({})", column);
  const auto reading = [&](const TextDate& each) {
    const std::string read = fmt::format(
        "{}({}, '{}')", date.time ? "try_to_timestamp" : "try_to_date", column, each.pattern);
    return each.short_year ? WithLastCentury(read, date.time) : read;
  };
  DatePattern odd;
  odd.Read(date.odd);
  const TextDate other = odd.Found();
  if (other.pattern.empty() || other.time != date.time) return reading(date);
  return fmt::format("coalesce({}, {})", reading(date), reading(other));
}

}  // namespace protium
