// SPDX-License-Identifier: Apache-2.0
// Constants in names of columns. Text has no quotes, numbers have no suffix, and times are written
// as in Spark's literals of their type.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "sql_tree/names/name_writer.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"

namespace protium {
namespace {

using tree::Text;

// The digits of a whole number; DuckDB serialises wide ones as two halves of 64 bits.
std::string WholeText(const Json& value) {
  if (!value.is_object()) return Dump(value);
  __int128 number = static_cast<__int128>(value.value("upper", int64_t{0})) << 64;
  number |= value.value("lower", uint64_t{0});
  const bool minus = number < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(number % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + std::abs(digit)));
    number /= 10;
  } while (number != 0);
  return (minus ? "-" : "") + digits;
}

// As java.math.BigDecimal: with an exponent if there are more than five zeros after the point.
std::string DecimalText(std::string digits, int scale) {
  const bool minus = digits.starts_with('-');
  if (minus) digits.erase(0, 1);
  const int size = static_cast<int>(digits.size());
  if (size - 1 - scale < -6) {
    const std::string rest = size > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}E{}", minus ? "-" : "", digits[0], rest, size - 1 - scale);
  }
  if (size <= scale) digits.insert(0, static_cast<size_t>(scale - size + 1), '0');
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  return (minus ? "-" : "") + digits;
}

// Double.toString: plain between 10^-3 and 10^7, otherwise with an exponent, and always with a
// digit after the point.
template <class Number>
std::string JavaText(Number value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
  const double size = std::fabs(static_cast<double>(value));
  const bool plain = size == 0 || (size >= 1e-3 && size < 1e7);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string digits(text, end.ptr);
  const size_t e = std::min(digits.find('e'), digits.size());
  std::string exponent = e < digits.size() ? digits.substr(e + 1) : "";
  digits.resize(e);
  if (digits.find('.') == std::string::npos) digits += ".0";
  return plain ? digits : fmt::format("{}E{}", digits, std::atoi(exponent.c_str()));
}

// The text of a day with all its digits: 2020-1-1 becomes 2020-01-01.
std::string DayText(std::string_view day) {
  const size_t first = day.find('-', 1), second = day.find('-', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::string(day);
  const auto two = [](std::string_view part) {
    return (part.size() < 2 ? "0" : "") + std::string(part);
  };
  return fmt::format("{}-{}-{}", day.substr(0, first),
                     two(day.substr(first + 1, second - first - 1)), two(day.substr(second + 1)));
}

// A fraction of seconds has no trailing zeros.
std::string TimeText(std::string_view time) {
  const size_t gap = std::min(time.find_first_of(" T"), time.size());
  std::string clock = gap < time.size() ? std::string(time.substr(gap + 1)) : "00:00:00";
  if (clock.find('.') != std::string::npos) {
    while (clock.ends_with('0')) clock.pop_back();
    if (clock.ends_with('.')) clock.pop_back();
  }
  return DayText(time.substr(0, gap)) + " " + clock;
}

// A unit of an interval: how many microseconds, or months.
struct Unit {
  std::string_view function, name;
  int64_t size = 0;
  bool months = false;
  std::string_view shown;  // The unit in which Spark counts it.
};
constexpr int64_t kSecond = 1000000, kDay = 86400 * kSecond;
constexpr Unit kUnits[] = {{"to_years", "YEAR", 12, true, "YEAR"},
                           {"to_quarters", "QUARTER", 3, true, "MONTH"},
                           {"to_months", "MONTH", 1, true, "MONTH"},
                           {"to_weeks", "WEEK", 7 * kDay, false, "DAY"},
                           {"to_days", "DAY", kDay, false, "DAY"},
                           {"to_hours", "HOUR", 3600 * kSecond, false, "HOUR"},
                           {"to_minutes", "MINUTE", 60 * kSecond, false, "MINUTE"},
                           {"to_seconds", "SECOND", kSecond, false, "SECOND"},
                           {"to_milliseconds", "MILLISECOND", 1000, false, "SECOND"},
                           {"to_microseconds", "MICROSECOND", 1, false, "SECOND"}};
// Units as they are shown, the widest first.
constexpr std::string_view kShown[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

// An interval and the units in which it was written, as indices into kShown.
struct Span {
  int64_t amount = 0;  // Months or microseconds.
  bool months = false;
  size_t widest = std::size(kShown), finest = 0;
};

// The number under the casts that the parser puts around it.
std::optional<double> Amount(const Json& node) {
  const Json* at = &node;
  while (!tree::IsConstant(*at)) {
    if (at->contains("child")) {
      at = &(*at)["child"];
    } else if (at->contains("children") && (*at)["children"].size() == 1) {
      at = &(*at)["children"][0];
    } else {
      return std::nullopt;
    }
  }
  const std::string* const text = tree::ConstantText(*at);
  if (text != nullptr) return std::strtod(text->c_str(), nullptr);
  const Json& value = (*at)["value"];
  if (!value.contains("value") || !value["value"].is_number()) return std::nullopt;
  return value["value"].get<double>();
}

// Adds up a sum of single units; false for anything but an interval.
bool Add(const Json& node, Span& span) {
  const std::string name = Text(node, "function_name");
  if (name == "+" && node["children"].size() == 2) {
    return Add(node["children"][0], span) && Add(node["children"][1], span);
  }
  const auto* const unit = std::ranges::find(kUnits, name, &Unit::function);
  if (unit == std::end(kUnits) || node["children"].size() != 1) return false;
  const auto amount = Amount(node["children"][0]);
  if (!amount) return false;
  span.amount += std::llround(*amount * static_cast<double>(unit->size));
  span.months = unit->months;
  const size_t place = std::ranges::find(kShown, unit->shown) - std::begin(kShown);
  span.widest = std::min(span.widest, place);
  span.finest = std::max(span.finest, place);
  return true;
}

std::string MonthsText(const Span& span, int64_t size) {
  if (span.widest == 0 && span.finest == 1) return fmt::format("{}-{}", size / 12, size % 12);
  return std::to_string(span.widest == 0 ? size / 12 : size);
}

// 1 02:03:04.5 from the widest unit, which is not cut, to the finest; only days have one digit.
std::string TimesText(const Span& span, int64_t size) {
  constexpr int64_t kSizes[] = {kDay, 3600 * kSecond, 60 * kSecond, kSecond};
  std::string text;
  for (size_t place = span.widest; place <= span.finest; ++place) {
    const int64_t unit = kSizes[place - 2];
    if (place > span.widest) text += place == 3 ? " " : ":";
    text += place == 2 ? std::to_string(size / unit) : fmt::format("{:02}", size / unit);
    size %= unit;
  }
  if (span.finest < 5 || size == 0) return text;
  std::string fraction = fmt::format("{:06}", size);
  while (fraction.ends_with('0')) fraction.pop_back();
  return text + "." + fraction;
}

}  // namespace

std::string JavaNumber(double value) { return JavaText(value); }
std::string JavaNumber(float value) { return JavaText(value); }

std::string NameWriter::Constant(const Json& node) const {
  const Json& value = node["value"];
  if (value.value("is_null", false)) return "NULL";
  const std::string* const text = tree::ConstantText(node);
  if (text != nullptr) return *text;
  const std::string id = Text(value["type"], "id");
  const Json& held = value["value"];
  if (id == "DECIMAL") {
    return DecimalText(WholeText(held), value["type"]["type_info"].value("scale", 0));
  }
  if (id == "DOUBLE" && held.is_number()) return JavaNumber(held.get<double>());
  return WholeText(held);
}

std::string NameWriter::TypedConstant(const Json& cast) const {
  const Json& child = cast["child"];
  // 7L: see TypedLiteralRule.
  const bool twice =
      tree::FindKind(child) == tree::Kind::kCast && Text(child["cast_type"], "id") == "HUGEINT";
  const std::string* const text = tree::ConstantText(twice ? child["child"] : child);
  const std::string_view written = source_.text(cast);
  const bool quoted = written.starts_with('\'') || written.starts_with(':');
  const bool digits = !written.empty() && written.find_first_of("0123456789.-") == 0;
  if (digits && tree::IsConstant(child) && text == nullptr) return Constant(child);
  if (text == nullptr || Begins(cast, "CAST") || Begins(cast, "TRY_CAST") || quoted) return "";
  const std::string id = Text(cast["cast_type"], "id");
  if (id == "BOOLEAN") return *text == "t" ? "true" : "false";
  if (id == "DATE") return "DATE '" + DayText(*text) + "'";
  if (id.starts_with("TIMESTAMP")) {
    return fmt::format("{} '{}'", CastTypeName(cast["cast_type"]), TimeText(*text));
  }
  if (id == "DOUBLE") return JavaNumber(std::strtod(text->c_str(), nullptr));
  if (id == "FLOAT") return JavaNumber(std::strtof(text->c_str(), nullptr));
  const bool minus = text->starts_with('-');
  const size_t first = std::min(text->find_first_not_of("-0"), text->size() - 1);
  return (minus ? "-" : "") + text->substr(first);
}

std::string NameWriter::Interval(const Json& node) const {
  Span span;
  if (!Add(node, span)) return "";
  const int64_t size = std::abs(span.amount);
  const std::string text = span.months ? MonthsText(span, size) : TimesText(span, size);
  const std::string to =
      span.finest > span.widest ? fmt::format(" TO {}", kShown[span.finest]) : "";
  return fmt::format("INTERVAL '{}{}' {}{}", span.amount < 0 ? "-" : "", text, kShown[span.widest],
                     to);
}

}  // namespace protium
