// SPDX-License-Identifier: Apache-2.0
#include "java/time_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "base/text.h"
#include "java/text_values.h"

// Both directions follow the same list of fields, made once from the pattern (ReadJavaPattern).
// Writing first takes the moment apart; reading collects parts and puts them together at the end,
// so that the order of the fields does not matter.

namespace protium {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr int64_t kDayMicros = int64_t{86400} * 1000000;

std::string Padded(int64_t value, size_t width) { return fmt::format("{:0{}}", value, width); }

// "Monday" for four letters of a pattern, "Mon" for three.
std::string SpelledOut(std::string_view name, size_t count) {
  return std::string(count == 4 ? name : name.substr(0, 3));
}

// A moment, taken apart.
struct Parts {
  std::chrono::year_month_day date;
  int64_t day_of_week = 0;  // Sunday is 0.
  int64_t day_of_year = 0;
  int64_t second_of_day = 0;
  int64_t micros = 0;
};

Parts SplitMoment(Moment moment) {
  using namespace std::chrono;
  const auto time = microseconds(moment.micros);
  const auto day = floor<days>(time);
  Parts parts;
  parts.date = year_month_day(sys_days(day));
  parts.day_of_week = weekday(sys_days(day)).c_encoding();
  parts.day_of_year = (sys_days(day) - sys_days(parts.date.year() / 1 / 1)).count() + 1;
  parts.second_of_day = floor<seconds>(time - day).count();
  // floor() makes this right before 1970, too.
  parts.micros = (time - day).count() % 1000000;
  return parts;
}

// Two letters write the year within its century, also before year 0.
std::string WriteYear(int64_t year, size_t count) {
  return count == 2 ? Padded((year % 100 + 100) % 100, 2) : Padded(year, count);
}

std::string WriteMonth(unsigned month, size_t count) {
  return count > 2 ? SpelledOut(kMonths[month - 1], count) : Padded(month, count);
}

std::string WriteQuarter(unsigned quarter, size_t count) {
  static constexpr std::array<std::string_view, 4> kOrdinals = {"1st", "2nd", "3rd", "4th"};
  if (count == 4) return fmt::format("{} quarter", kOrdinals[quarter - 1]);
  return count == 3 ? fmt::format("Q{}", quarter) : Padded(quarter, count);
}

// All times are in UTC.
std::string WriteZone(const TimeField& field) {
  const bool colon = field.count == 3 || field.count == 5;
  switch (field.letter) {
    case 'X':
      return "Z";
    case 'x':
      return field.count == 1 ? "+00" : colon ? "+00:00" : "+0000";
    case 'Z':
      return field.count == 5 ? "Z" : field.count == 4 ? "GMT" : "+0000";
    case 'z':
      return field.count == 4 ? "Coordinated Universal Time" : "UTC";
    default:
      return field.letter == 'O' ? "GMT" : "UTC";
  }
}

std::string WriteField(const Parts& parts, const TimeField& field) {
  const size_t count = field.count;
  const int64_t hour = parts.second_of_day / 3600;
  const auto month = static_cast<unsigned>(parts.date.month());
  switch (field.letter) {
    case 'y':
      return WriteYear(static_cast<int>(parts.date.year()), count);
    case 'M':
    case 'L':
      return WriteMonth(month, count);
    case 'Q':
    case 'q':
      return WriteQuarter((month + 2) / 3, count);
    case 'F':  // The day of the week, counted from the first of the month.
      return Padded((static_cast<unsigned>(parts.date.day()) - 1) % 7 + 1, count);
    case 'O':
    case 'V':
    case 'X':
    case 'Z':
    case 'x':
    case 'z':
      return WriteZone(field);
    case 'd':
      return Padded(static_cast<unsigned>(parts.date.day()), count);
    case 'D':
      return Padded(parts.day_of_year, count);
    case 'E':
      return SpelledOut(kDays[static_cast<size_t>(parts.day_of_week)], count);
    case 'a':
      return hour < 12 ? "AM" : "PM";
    case 'H':
      return Padded(hour, count);
    case 'k':
      return Padded(hour == 0 ? 24 : hour, count);
    case 'K':
      return Padded(hour % 12, count);
    case 'h':
      return Padded(hour % 12 == 0 ? 12 : hour % 12, count);
    case 'm':
      return Padded(parts.second_of_day / 60 % 60, count);
    case 's':
      return Padded(parts.second_of_day % 60, count);
    case 'S':
      // Up to nine digits; microseconds fill six.
      return (Padded(parts.micros, 6) + "000").substr(0, count);
    default:
      return field.text;
  }
}

bool SameLetters(std::string_view text, std::string_view name) {
  return text.size() == name.size() &&
         std::equal(text.begin(), text.end(), name.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a + 32 : a) == (b >= 'A' && b <= 'Z' ? b + 32 : b);
         });
}

// Reads the fields from left to right and then puts the parts together; the whole text must be used
// up.
class Reading {
 public:
  Reading(std::string_view text, const std::vector<TimeField>& fields)
      : text_(text), fields_(fields) {}

  std::optional<Moment> Run() {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!Read(i)) return std::nullopt;
    }
    return text_.empty() ? Resolve() : std::nullopt;
  }

 private:
  static bool IsOffset(const TimeField& field) {
    return field.letter == 'X' || field.letter == 'x' || field.letter == 'Z';
  }

  // A literal has no letter; AM and names of months are the fields that are read as words.
  static bool IsNumber(const TimeField& field) {
    return field.letter != 0 && field.letter != 'a' && !(field.letter == 'M' && field.count > 2) &&
           !IsOffset(field);
  }

  bool Read(size_t i) {
    const TimeField& field = fields_[i];
    if (field.letter == 0) return TakeWord(field.text);
    if (field.letter == 'a') return ReadHalf();
    if (IsOffset(field)) return ReadOffset(field);
    if (!IsNumber(field)) return ReadMonth(field.count);
    const auto [fewest, most] = FindWidth(i);
    const size_t before = text_.size();
    const auto number = Take(fewest, most);
    return number && Set(field, *number, before - text_.size());
  }

  // The fewest and most digits of a field. A single letter takes as many digits as there are,
  // except those that the fields behind it need.
  std::pair<size_t, size_t> FindWidth(size_t i) const {
    const TimeField& field = fields_[i];
    if (field.letter == 'S') return {1, field.count};
    const bool loose = field.count == 1;
    if (!loose && field.letter != 'y') return {field.count, field.count};
    if (field.letter == 'y' && (field.count == 2 || field.count == 4)) {
      return {field.count, field.count};
    }
    size_t behind = 0;
    for (size_t j = i + 1; j < fields_.size() && IsNumber(fields_[j]) && fields_[j].count > 1;
         ++j) {
      behind += fields_[j].count;
    }
    const size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const size_t most = digits > behind ? digits - behind : 0;
    return {field.count, std::max(field.count, std::min<size_t>(most, 18))};
  }

  std::optional<int64_t> Take(size_t fewest, size_t most) {
    size_t count = 0;
    int64_t number = 0;
    while (count < most && count < text_.size() && IsDigit(text_[count])) {
      number = number * 10 + (text_[count++] - '0');
    }
    if (count < fewest) return std::nullopt;
    text_.remove_prefix(count);
    return number;
  }

  bool TakeWord(std::string_view word) {
    if (!SameLetters(text_.substr(0, word.size()), word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  // AM or PM, in any case.
  bool ReadHalf() {
    afternoon_ = SameLetters(text_.substr(0, 2), "PM");
    return TakeWord(afternoon_ ? "PM" : "AM");
  }

  // +02, +0200, +02:00, depending on the number of letters (DateTimeFormatterBuilder.appendOffset);
  // X and ZZZZZ also read Z.
  bool ReadOffset(const TimeField& field) {
    const bool zero = field.letter == 'X' || (field.letter == 'Z' && field.count == 5);
    if (zero && TakeWord("Z")) return true;
    const bool minus = text_.starts_with('-');
    if (!minus && !text_.starts_with('+')) return false;
    text_.remove_prefix(1);
    const bool colon = field.count == 5 || (field.count == 3 && field.letter != 'Z');
    const auto hours = Take(2, 2);
    const size_t before = text_.size();
    auto minutes = colon && !TakeWord(":") ? std::nullopt : Take(2, 2);
    if (!minutes && field.count == 1 && field.letter != 'Z' && text_.size() == before) minutes = 0;
    if (!hours || !minutes || *minutes > 59) return false;
    int64_t seconds = 0;
    if (field.count > 3) {
      const bool more = colon ? TakeWord(":") : true;
      const auto rest = more ? Take(2, 2) : std::nullopt;
      if ((colon && more && !rest) || rest.value_or(0) > 59) return false;
      seconds = rest.value_or(0);
    }
    offset_ = (*hours * 60 + *minutes) * 60 + seconds;
    if (offset_ > 18 * 3600) return false;
    if (minus) offset_ = -offset_;
    return true;
  }

  bool ReadMonth(size_t count) {
    for (size_t i = 0; i < kMonths.size(); ++i) {
      if (!TakeWord(SpelledOut(kMonths[i], count))) continue;
      month_ = static_cast<int64_t>(i) + 1;
      return true;
    }
    return false;
  }

  bool Set(const TimeField& field, int64_t number, size_t width) {
    const auto put = [&](int64_t& part, int64_t fewest, int64_t most) {
      part = number;
      return number >= fewest && number <= most;
    };
    switch (field.letter) {
      case 'y':
        // DateTimeFormatter's base of two-digit years is 2000; 294247 is the last year of 64-bit
        // microseconds.
        year_ = field.count == 2 ? 2000 + number : number;
        return year_ <= 294247;
      case 'M':
        return put(month_, 1, 12);
      case 'd':
        return put(day_, 1, 31);
      case 'D':
        return put(day_of_year_, 1, 366);
      case 'H':
        return put(hour_, 0, 23);
      case 'k':
        hour_ = number % 24;
        return number >= 1 && number <= 24;
      case 'K':
        return put(half_hour_, 0, 11);
      case 'h':
        half_hour_ = number % 12;
        return number >= 1 && number <= 12;
      case 'm':
        return put(minute_, 0, 59);
      case 's':
        return put(second_, 0, 59);
      default:
        for (size_t digits = width; digits < 6; ++digits) number *= 10;
        for (size_t digits = width; digits > 6; --digits) number /= 10;
        micros_ = number;
        return true;
    }
  }

  bool HasField(char letter) const {
    return std::ranges::any_of(fields_,
                               [&](const TimeField& field) { return field.letter == letter; });
  }

  // The day of a year by its number; a month and a day of the month beside it must match it.
  std::optional<int32_t> DayOfYear() const {
    const auto first = CountDays(year_, 1, 1), next = CountDays(year_ + 1, 1, 1);
    if (!first || !next) return std::nullopt;
    const auto days = static_cast<int32_t>(*first + day_of_year_ - 1);
    if (days >= *next) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
    const bool month = !HasField('M') || static_cast<unsigned>(date.month()) == month_;
    const bool day = !HasField('d') || static_cast<unsigned>(date.day()) == day_;
    return month && day ? std::optional(days) : std::nullopt;
  }

  // Hours of a half day take precedence over those of a whole one.
  std::optional<Moment> Resolve() const {
    const auto days = day_of_year_ > 0 ? DayOfYear() : CountDays(year_, month_, day_);
    if (!days) return std::nullopt;
    const int64_t hour = half_hour_ < 0 ? hour_ : half_hour_ + (afternoon_ ? 12 : 0);
    const int64_t seconds = (hour * 60 + minute_) * 60 + second_;
    return Moment{*days * kDayMicros + (seconds - offset_) * 1000000 + micros_};
  }

  std::string_view text_;
  const std::vector<TimeField>& fields_;
  int64_t year_ = 1970, month_ = 1, day_ = 1, day_of_year_ = 0;
  // -1: the pattern has no hour of a half day.
  int64_t hour_ = 0, half_hour_ = -1, minute_ = 0, second_ = 0, micros_ = 0;
  int64_t offset_ = 0;  // Of the zone, in seconds.
  bool afternoon_ = false;
};

}  // namespace

std::string WriteTime(Moment moment, const std::vector<TimeField>& fields) {
  const Parts parts = SplitMoment(moment);
  std::string text;
  for (const TimeField& field : fields) text += WriteField(parts, field);
  return text;
}

std::optional<Moment> ReadTime(std::string_view text, const std::vector<TimeField>& fields) {
  return Reading(text, fields).Run();
}

}  // namespace protium
