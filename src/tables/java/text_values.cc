// SPDX-License-Identifier: Apache-2.0
#include "java/text_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "sql_words/literals.h"

// Each reader takes a text from left to right and accepts nothing that it does not use. Comments
// say where Spark's reader is laxer than Java's (days) or Java's laxer than C++'s (numbers).

namespace protium {
namespace {

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

// The words for values that are not numbers. Spark accepts them in any case; those with a sign in
// front of NaN are Java's own, and case-sensitive.
template <class Number>
std::optional<Number> ReadWord(std::string_view text) {
  constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
  const std::string word = Lower(text);
  if (word == "nan" || text == "+NaN" || text == "-NaN") {
    return std::numeric_limits<Number>::quiet_NaN();
  }
  if (word == "inf" || word == "+inf" || word == "infinity" || word == "+infinity") {
    return kInfinity;
  }
  if (word == "-inf" || word == "-infinity") return -kInfinity;
  return std::nullopt;
}

template <class Number>
std::optional<Number> ReadDigits(std::string_view digits, std::chars_format format) {
  Number number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, format);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
  if (read.ec != std::errc::result_out_of_range) return number;
  // from_chars does not say whether the number is too large or too small; strtod does.
  const std::string text = (format == std::chars_format::hex ? "0x" : "") + std::string(digits);
  return static_cast<Number>(std::strtod(text.c_str(), nullptr));
}

// An exponent as Java's BigDecimal accepts it: 32 bits, with a sign.
bool IsExponent(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int32_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Takes numbers off a text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? 0 : text_[at_]; }
  bool Take(char c) {
    if (Peek() != c || AtEnd()) return false;
    ++at_;
    return true;
  }
  // A number of `fewest` to `most` digits; a further digit makes it fail.
  std::optional<int64_t> Number(size_t fewest, size_t most) {
    const size_t start = at_;
    int64_t number = 0;
    while (IsDigit(Peek())) {
      if (at_ - start == most) return std::nullopt;
      number = number * 10 + (text_[at_++] - '0');
    }
    if (at_ - start < fewest) return std::nullopt;
    return number;
  }
  // A fraction in millionths; digits beyond the sixth are dropped.
  int64_t Millionths() {
    int64_t fraction = 0, unit = 100000;
    for (; IsDigit(Peek()); ++at_, unit /= 10) fraction += (Peek() - '0') * unit;
    return fraction;
  }
  std::string_view Rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct DayParts {
  int32_t days = 0;
  bool whole = false;  // Year, month and day were all given.
};

// [+-]yyyy, with up to seven digits, then -m or -mm, then -d or -dd, as SparkDateTimeUtils reads
// days; what is omitted is 1.
std::optional<DayParts> ReadDayParts(Scanner& scanner) {
  const bool negative = scanner.Take('-');
  if (!negative) scanner.Take('+');
  // Spark's limit: seven digits hold every year that 64 bits of microseconds reach.
  const auto year = scanner.Number(4, 7);
  if (!year) return std::nullopt;
  std::array<int64_t, 2> parts = {1, 1};
  size_t count = 0;
  while (count < 2 && scanner.Take('-')) {
    const auto part = scanner.Number(1, 2);
    if (!part) return std::nullopt;
    parts[count++] = *part;
  }
  const auto days = CountDays(negative ? -*year : *year, parts[0], parts[1]);
  if (!days) return std::nullopt;
  return DayParts{*days, count == 2};
}

// hh, hh:mm or hh:mm:ss[.ffffff]; sets `seconds` if there were any.
std::optional<int64_t> ReadClock(Scanner& scanner, bool& seconds) {
  std::array<int64_t, 3> parts = {0, 0, 0};
  size_t count = 0;
  do {
    const auto part = scanner.Number(1, 2);
    if (!part) return std::nullopt;
    parts[count++] = *part;
  } while (count < 3 && scanner.Take(':'));
  seconds = count == 3;
  if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  const int64_t micros = ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000000;
  return seconds && scanner.Take('.') ? micros + scanner.Millionths() : micros;
}

}  // namespace

std::string_view TrimmedAsJava(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<bool> ReadBoolean(std::string_view text) {
  const std::string word = Lower(TrimmedAsJava(text));
  for (const std::string_view yes : {"t", "true", "y", "yes", "1"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"f", "false", "n", "no", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> ReadWhole(std::string_view text) {
  text = TrimmedAsJava(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t whole = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return whole;
}

template <class Number>
std::optional<Number> ReadNumber(std::string_view text) {
  text = TrimmedAsJava(text);
  if (const auto word = ReadWord<Number>(text)) return word;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  // Java's hexadecimal floats must have an exponent.
  if (hexadecimal && text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  // Double.parseDouble accepts the suffix of a Java literal.
  if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  // from_chars() would also accept "inf" and "nan", which ReadWord() has handled.
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.' || hexadecimal)) return std::nullopt;
  const auto number =
      ReadDigits<Number>(text, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  return number && negative ? -*number : number;
}

template std::optional<double> ReadNumber<double>(std::string_view text);
template std::optional<float> ReadNumber<float>(std::string_view text);

std::optional<std::string> ReadDecimal(std::string_view text) {
  text = TrimmedAsJava(text);
  const std::string sign = text.starts_with('-') ? "-" : "";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  const size_t point = digits.find('.');
  const bool plain = digits.find_first_not_of("0123456789.") == std::string_view::npos &&
                     digits.find_first_of("0123456789") != std::string_view::npos &&
                     (point == std::string_view::npos || point == digits.rfind('.'));
  if (!plain || (digits.size() < text.size() && !IsExponent(text.substr(digits.size() + 1)))) {
    return std::nullopt;
  }
  return sign + PlainDigits(text);
}

std::optional<int32_t> CountDays(int64_t year, int64_t month, int64_t day) {
  using namespace std::chrono;
  if (month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  // The calendar repeats after 400 years; the library's years have 16 bits.
  const int64_t cycles = (year >= 0 ? year : year - 399) / 400;
  const year_month_day within(std::chrono::year(static_cast<int>(year - cycles * 400)),
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day)));
  if (!within.ok()) return std::nullopt;
  return static_cast<int32_t>(sys_days(within).time_since_epoch().count() + cycles * 146097);
}

std::optional<Day> ReadDay(std::string_view text) {
  Scanner scanner(TrimmedAsJava(text));
  const auto parts = ReadDayParts(scanner);
  if (!parts) return std::nullopt;
  // Spark ignores whatever follows a day's separator: CAST('2013-07-04 noon' AS DATE) is a date.
  const bool more = parts->whole && (scanner.Peek() == ' ' || scanner.Peek() == 'T');
  if (!scanner.AtEnd() && !more) return std::nullopt;
  return Day{parts->days};
}

std::optional<int64_t> ReadOffset(std::string_view zone) {
  if (zone == "Z") return 0;
  for (const std::string_view name : {"UTC", "GMT", "UT"}) {
    if (!zone.starts_with(name)) continue;
    zone.remove_prefix(name.size());
    if (zone.empty()) return 0;
    break;
  }
  Scanner scanner(zone);
  const bool negative = scanner.Take('-');
  if (!negative && !scanner.Take('+')) return std::nullopt;
  std::array<int64_t, 3> parts = {0, 0, 0};
  const std::string_view digits = scanner.Rest();
  if (digits.find(':') == std::string_view::npos && digits.size() > 2) {
    if (digits.size() % 2 != 0 || digits.size() > 6) return std::nullopt;
    for (size_t i = 0; i < digits.size() / 2; ++i) {
      if (!IsDigit(digits[2 * i]) || !IsDigit(digits[2 * i + 1])) return std::nullopt;
      parts[i] = (digits[2 * i] - '0') * 10 + (digits[2 * i + 1] - '0');
    }
  } else {
    size_t count = 0;
    do {
      const auto part = scanner.Number(count == 2 ? 2 : 1, 2);
      if (!part) return std::nullopt;
      parts[count++] = *part;
    } while (count < 3 && scanner.Take(':'));
    if (!scanner.AtEnd()) return std::nullopt;
  }
  const int64_t offset = (parts[0] * 60 + parts[1]) * 60 + parts[2];
  if (parts[1] > 59 || parts[2] > 59 || offset > 18 * 3600) return std::nullopt;
  return negative ? -offset : offset;
}

std::optional<ClockText> ReadClockText(std::string_view text, std::string& why) {
  text = TrimmedAsJava(text);
  Scanner alone(text.starts_with('T') ? text.substr(1) : text);
  bool seconds = false;
  // The result would change every day: refused rather than made up.
  if (text.find(':') != std::string_view::npos && ReadClock(alone, seconds) &&
      (alone.AtEnd() || seconds)) {
    why = "a time without a date means today in Spark";
    return std::nullopt;
  }
  Scanner scanner(text);
  const auto parts = ReadDayParts(scanner);
  if (!parts) return std::nullopt;
  const int64_t midnight = int64_t{parts->days} * 86400 * 1000000;
  if (scanner.AtEnd()) return ClockText{midnight};
  if (!parts->whole || !(scanner.Take(' ') || scanner.Take('T'))) return std::nullopt;
  const auto clock = ReadClock(scanner, seconds);
  if (!clock) return std::nullopt;
  const ClockText read{midnight + *clock, TrimmedAsJava(scanner.Rest())};
  const bool whole = scanner.AtEnd() || (seconds && !read.zone.empty());
  return whole ? std::optional(read) : std::nullopt;
}

}  // namespace protium
