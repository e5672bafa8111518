// SPDX-License-Identifier: Apache-2.0
#include "java/java_format.h"

#include <fmt/format.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "java/code_points.h"

namespace protium {
namespace {

constexpr std::string_view kFlags = "-#+ 0,(<";

// Reads digits; false if they do not fit an int. `number` stays as it is if there are none.
bool ReadDigits(std::string_view format, size_t& at, int& number) {
  const char* const begin = format.data() + at;
  const char* end = begin;
  while (end < format.data() + format.size() && IsDigit(*end)) ++end;
  if (end == begin) return true;
  at += static_cast<size_t>(end - begin);
  return std::from_chars(begin, end, number).ec == std::errc();
}

// The flags that Java accepts with a conversion; it rejects all others.
std::string_view AllowedFlags(char kind) {
  switch (kind) {
    case 'd':
      return "-+ 0,(<";
    case 'x':
    case 'o':
      return "-#0<";
    case 'e':
      return "-#+ 0(<";
    case 'f':
      return "-#+ 0,(<";
    case 'g':
      return "-+ 0,(<";
    default:
      return "-<";
  }
}

bool FlagsAgree(const FormatSpecifier& specifier) {
  const char kind = specifier.kind();
  if (kind == 'n') return specifier.flags.empty() && specifier.width < 0;
  if (specifier.flags.find_first_not_of(AllowedFlags(kind)) != std::string::npos) return false;
  const bool padded = specifier.Has('-') || specifier.Has('0');
  if (padded && specifier.width < 0) return false;
  if (specifier.Has('-') && specifier.Has('0')) return false;
  if (specifier.Has('+') && specifier.Has(' ')) return false;
  const bool precise = std::string_view("sbefg").find(kind) != std::string_view::npos;
  return precise || specifier.precision < 0;
}

// Appends the text, padded with blanks up to the width. Java counts UTF-16 units.
void Pad(const FormatSpecifier& specifier, std::string text, std::string& out) {
  if (specifier.conversion >= 'A' && specifier.conversion <= 'Z') {
    std::string upper;
    icu::UnicodeString::fromUTF8(text).toUpper(icu::Locale::getUS()).toUTF8String(upper);
    text = upper;
  }
  const int size = icu::UnicodeString::fromUTF8(text).length();
  const std::string blanks(static_cast<size_t>(std::max(0, specifier.width - size)), ' ');
  out += specifier.Has('-') ? text + blanks : blanks + text;
}

void Group(std::string& digits) {
  const size_t end = std::min(digits.find_first_of(".e"), digits.size());
  for (size_t at = end; at > 3; at -= 3) digits.insert(at - 3, ",");
}

// Adds the sign or parentheses, and zeros, around the digits of a number.
std::string Signed(const FormatSpecifier& specifier, bool minus, std::string digits) {
  if (specifier.Has(',')) Group(digits);
  std::string before = minus                ? (specifier.Has('(') ? "(" : "-")
                       : specifier.Has('+') ? "+"
                       : specifier.Has(' ') ? " "
                                            : "";
  const std::string after = minus && specifier.Has('(') ? ")" : "";
  const int size = static_cast<int>(before.size() + digits.size() + after.size());
  if (specifier.Has('0') && specifier.width > size) {
    digits.insert(0, static_cast<size_t>(specifier.width - size), '0');
  }
  return before + digits + after;
}

// A positive double as digits and the exponent of the first of them, with the fewest digits that
// identify it: Java rounds from these.
struct Digits {
  std::string digits;
  int exponent = 0;

  explicit Digits(double value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
    const std::string_view all(text, static_cast<size_t>(end.ptr - text));
    const size_t e = all.find('e');
    for (const char c : all.substr(0, e)) {
      if (c != '.') digits += c;
    }
    const size_t number = all[e + 1] == '+' ? e + 2 : e + 1;
    std::from_chars(all.data() + number, all.data() + all.size(), exponent);
  }

  // Retains this many digits, halves going up; for none or fewer, leaves what they round to.
  void Keep(int count) {
    if (count >= static_cast<int>(digits.size())) {
      digits.append(static_cast<size_t>(count) - digits.size(), '0');
      return;
    }
    const bool up = count >= 0 && digits[static_cast<size_t>(count)] >= '5';
    digits.resize(static_cast<size_t>(std::max(count, 0)));
    if (!up) return;
    size_t at = digits.size();
    while (at > 0 && digits[at - 1] == '9') digits[--at] = '0';
    if (at > 0) {
      ++digits[at - 1];
      return;
    }
    digits.insert(0, "1");
    ++exponent;
  }
};

// With `places` digits after the point.
std::string Fixed(double value, int places) {
  Digits digits(value);
  if (value == 0) digits.exponent = 0;
  digits.Keep(digits.exponent + 1 + places);
  std::string text = digits.digits;
  const int whole = static_cast<int>(text.size()) - places;
  if (whole <= 0) text.insert(0, static_cast<size_t>(1 - whole), '0');
  if (places > 0) text.insert(text.size() - static_cast<size_t>(places), ".");
  return text;
}

std::string Scientific(double value, int places) {
  Digits digits(value);
  digits.Keep(places + 1);
  std::string text = digits.digits.substr(0, static_cast<size_t>(places) + 1);
  if (places > 0) text.insert(1, ".");
  return fmt::format("{}e{}{:02}", text, digits.exponent < 0 ? '-' : '+',
                     std::abs(digits.exponent));
}

std::string General(double value, int precision) {
  const int count = precision == 0 ? 1 : precision;
  if (value == 0) return Fixed(value, count - 1);
  Digits digits(value);
  digits.Keep(count);
  if (digits.exponent < -4 || digits.exponent >= count) return Scientific(value, count - 1);
  return Fixed(value, count - digits.exponent - 1);
}

}  // namespace

bool ReadSpecifier(std::string_view format, size_t& at, FormatSpecifier& specifier) {
  size_t index_end = at;
  int index = 0;
  if (!ReadDigits(format, index_end, index)) return false;
  if (index_end > at && index_end < format.size() && format[index_end] == '$') {
    specifier.index = index;
    at = index_end + 1;
    if (index == 0) return false;
  }
  while (at < format.size() && kFlags.find(format[at]) != std::string_view::npos) {
    if (specifier.Has(format[at])) return false;
    specifier.flags += format[at++];
  }
  if (specifier.Has('<')) specifier.index = -1;
  if (!ReadDigits(format, at, specifier.width)) return false;
  if (at < format.size() && format[at] == '.') {
    ++at;
    if (!ReadDigits(format, at, specifier.precision) || specifier.precision < 0) return false;
  }
  if (at == format.size()) return false;
  specifier.conversion = format[at++];
  constexpr std::string_view kConversions = "bBsScCdxXoeEfgG%n";
  return kConversions.find(specifier.conversion) != std::string_view::npos && FlagsAgree(specifier);
}

void WriteFormatted(const FormatSpecifier& specifier, std::string_view text, std::string& out) {
  if (specifier.precision >= 0) text = text.substr(0, FindOffset(text, specifier.precision));
  Pad(specifier, std::string(text), out);
}

void WriteFormatted(const FormatSpecifier& specifier, int64_t value, int bits, std::string& out) {
  const auto pattern = static_cast<uint64_t>(value);
  if (specifier.kind() == 'd') {
    const uint64_t size = value < 0 ? -pattern : pattern;
    return Pad(specifier, Signed(specifier, value < 0, std::to_string(size)), out);
  }
  const uint64_t unsigned_value = bits == 64 ? pattern : pattern & ((uint64_t{1} << bits) - 1);
  const bool hex = specifier.kind() == 'x';
  std::string digits =
      hex ? fmt::format("{:x}", unsigned_value) : fmt::format("{:o}", unsigned_value);
  const std::string prefix = specifier.Has('#') ? (hex ? "0x" : "0") : "";
  const int size = static_cast<int>(prefix.size() + digits.size());
  if (specifier.Has('0') && specifier.width > size) {
    digits.insert(0, static_cast<size_t>(specifier.width - size), '0');
  }
  Pad(specifier, prefix + digits, out);
}

void WriteFormatted(const FormatSpecifier& specifier, double value, std::string& out) {
  if (std::isnan(value)) return Pad(specifier, "NaN", out);
  const bool minus = std::signbit(value);
  if (std::isinf(value)) {
    FormatSpecifier unpadded = specifier;
    std::erase(unpadded.flags, '0');
    std::erase(unpadded.flags, ',');
    return Pad(unpadded, Signed(unpadded, minus, "Infinity"), out);
  }
  const double size = std::fabs(value);
  const int precision = specifier.precision < 0 ? 6 : specifier.precision;
  std::string digits = specifier.kind() == 'f'   ? Fixed(size, precision)
                       : specifier.kind() == 'e' ? Scientific(size, precision)
                                                 : General(size, precision);
  if (specifier.Has('#') && precision == 0) {
    digits.insert(std::min(digits.find('e'), digits.size()), ".");
  }
  Pad(specifier, Signed(specifier, minus, std::move(digits)), out);
}

}  // namespace protium
