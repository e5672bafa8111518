// SPDX-License-Identifier: Apache-2.0
#include "inference/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace protium {
namespace {

constexpr size_t kMostShown = 60;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEnds = ",]} \t\r\n";  // What follows a value.

// Reads a text from its front.
struct Ahead {
  std::string_view text;
  size_t at = 0;

  bool Takes(std::string_view any_of) {
    const bool found = at < text.size() && any_of.find(text[at]) != any_of.npos;
    at += found;
    return found;
  }
  bool TakesDigits() {
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at > begin;
  }
};

// Whether a number other than 0 that is outside the range of double is too small, not too large.
bool IsTiny(std::string_view text) {
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  std::string_view exponent = text.substr(std::min(mark + 1, text.size()));
  const bool negative = exponent.starts_with('-');
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  int64_t power = 0;
  const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (read.ec == std::errc::result_out_of_range) return negative;
  // The position of the first significant digit relative to the point.
  const auto first = int64_t(digits.find_first_of("123456789"));
  const auto point = int64_t(std::min(digits.find('.'), digits.size()));
  return double(point) - double(first) + double(power) < 0;
}

}  // namespace

std::optional<JsonNumber> NumberAt(std::string_view text) {
  Ahead ahead{text};
  ahead.Takes("-");
  if (!ahead.Takes("0") && !ahead.TakesDigits()) return std::nullopt;
  bool whole = true;
  if (ahead.Takes(".")) {
    whole = false;
    if (!ahead.TakesDigits()) return std::nullopt;
  }
  if (ahead.Takes("eE")) {
    whole = false;
    ahead.Takes("+-");
    if (!ahead.TakesDigits()) return std::nullopt;
  }
  const JsonNumber number{text.substr(0, ahead.at), whole};
  const bool ends = ahead.at == text.size() || ahead.Takes(kEnds);
  return ends ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> WholeValue(const JsonNumber& number) {
  if (number.whole) {
    int64_t value = 0;
    const char* const begin = number.text.data();
    const auto read = std::from_chars(begin, begin + number.text.size(), value);
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  const auto real = RealValue(number);
  // Beyond 2^53 a double cannot distinguish neighbouring whole numbers.
  if (!real || *real != std::floor(*real) || std::abs(*real) > 0x1p53) return std::nullopt;
  return int64_t(*real);
}

std::optional<double> RealValue(const JsonNumber& number) {
  // Without a point it is a whole number, and those have no -0.
  if (number.text == "-0") return 0.0;
  double value = 0;
  const char* const begin = number.text.data();
  const auto read = std::from_chars(begin, begin + number.text.size(), value);
  if (read.ec == std::errc()) return std::isfinite(value) ? std::optional(value) : std::nullopt;
  if (!IsTiny(number.text)) return std::nullopt;
  return number.text.starts_with('-') ? -0.0 : 0.0;
}

std::string ShownValue(std::string_view text) {
  std::string shown;
  int open = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size() && shown.size() <= kMostShown; ++i) {
    const char c = text[i];
    if (!in_text && open == 0 && kEnds.find(c) != kEnds.npos) break;
    if (!in_text && kSpaces.find(c) != kSpaces.npos) continue;
    shown += c;
    if (in_text && c == '\\' && i + 1 < text.size()) {
      shown += text[++i];
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      open += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    if (!in_text && open == 0 && (c == '"' || c == ']' || c == '}')) break;
  }
  return Shortened(shown, kMostShown);
}

}  // namespace protium
