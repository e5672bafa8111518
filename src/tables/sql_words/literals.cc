// SPDX-License-Identifier: Apache-2.0
// Literals by Spark's rules: SparkParserUtils.unescapeSQLString for texts, and for numbers what
// AstBuilder makes of the tokens of SqlBaseLexer.g4. Decimals and doubles are spelt so that they
// retain their type twice: when DuckDB parses them, and when json_deserialize_sql writes the tree
// as text again.
#include "sql_words/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

// Reads exactly `count` digits of a base at the front of `text`.
std::optional<uint32_t> CodeAt(std::string_view text, size_t count, int base) {
  uint32_t code = 0;
  const char* const end = text.data() + std::min(count, text.size());
  const auto read = std::from_chars(text.data(), end, code, base);
  const bool whole = text.size() >= count && read.ec == std::errc() && read.ptr == end;
  return whole ? std::optional(code) : std::nullopt;
}

void AddCodePoint(uint32_t code, std::string& text) {
  const auto more = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    more(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    more(6);
    more(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    more(12);
    more(6);
    more(0);
  }
}

bool IsHigh(uint32_t code) { return code >= 0xd800 && code < 0xdc00; }
bool IsLow(uint32_t code) { return code >= 0xdc00 && code < 0xe000; }

// Takes the escape at the front of `rest`, which begins with a backslash followed by more
// characters.
void TakeEscape(std::string_view& rest, std::string& text) {
  static constexpr std::string_view kFrom = "ntrb0Z", kTo("\n\t\r\b\0\x1a", 6);
  const auto take = [&](size_t count) { rest.remove_prefix(count); };
  const char c = rest[1];
  const auto unit = c == 'u' ? CodeAt(rest.substr(2), 4, 16) : std::nullopt;
  if (unit) {
    take(6);
    // \u writes UTF-16 code units, as Java does: a pair of surrogates is one character beyond
    // U+FFFF. A lone surrogate has no encoding in UTF-8, and Java writes '?' for it.
    const auto low =
        IsHigh(*unit) && rest.starts_with("\\u") ? CodeAt(rest.substr(2), 4, 16) : std::nullopt;
    if (low && IsLow(*low)) {
      take(6);
      return AddCodePoint(0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00), text);
    }
    return AddCodePoint(IsHigh(*unit) || IsLow(*unit) ? '?' : *unit, text);
  }
  if (const auto code = c == 'U' ? CodeAt(rest.substr(2), 8, 16) : std::nullopt) {
    take(10);
    if (*code < 0x110000) return AddCodePoint(*code, text);
    text += "??";
    return;
  }
  const auto octal = c == '0' || c == '1' ? CodeAt(rest.substr(1), 3, 8) : std::nullopt;
  take(octal ? 4 : 2);
  if (octal) return AddCodePoint(*octal, text);
  // \% and \_ retain their backslash for LIKE; before any other character that forms no escape it
  // is dropped.
  if (c == '%' || c == '_') text += '\\';
  const size_t known = kFrom.find(c);
  text += known == std::string_view::npos ? c : kTo[known];
}

bool FitsIn64Bits(std::string_view sign, std::string_view digits) {
  int64_t value = 0;
  const std::string text = std::string(sign) + std::string(digits);
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

// Leading zeros count towards the precision in DuckDB, where 0.5 is DECIMAL(2, 1), but not in
// Spark, so they are omitted.
Result<std::string> DuckDecimal(std::string_view sign, std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits == ".") digits = "0.";
  const size_t precision = digits.size() - 1;
  // json_deserialize_sql writes 5. as 5, which would be read as a whole number; a cast survives.
  if (precision <= 38 && digits.back() == '.') {
    digits.pop_back();
    return fmt::format("CAST({}{} AS DECIMAL({}, 0))", sign, digits, precision);
  }
  if (precision <= 38) return std::string(sign) + digits;
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("the number {}{:.60} has {} digits", sign, digits, digits.size() - 1),
       .why = "decimals hold at most 38 digits",
       .fix = "write it as a double, such as 1.5e300"});
}

Result<std::string> DuckPlainNumber(std::string_view sign, std::string_view number) {
  // json_deserialize_sql writes 1e3 as 1000.0, which would be read as a decimal.
  if (number.find_first_of("eE") != std::string_view::npos) {
    return fmt::format("CAST('{}{}' AS DOUBLE)", sign, number);
  }
  if (number.find('.') != std::string_view::npos) return DuckDecimal(sign, PlainDigits(number));
  if (!FitsIn64Bits(sign, number)) return DuckDecimal(sign, PlainDigits(number));
  // DuckDB types the digits before it applies the sign: 2147483648 does not fit 32 bits, so its
  // negative would be a BIGINT. In Spark it is an INT.
  const size_t first = std::min(number.find_first_not_of('0'), number.size() - 1);
  if (sign == "-" && number.substr(first) == "2147483648") {
    return std::string("CAST('-2147483648' AS INTEGER)");
  }
  return fmt::format("{}{}", sign, number);
}

}  // namespace

std::string PlainDigits(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  int exponent = 0;
  if (e != std::string_view::npos) {
    const std::string_view text = number.substr(number[e + 1] == '+' ? e + 2 : e + 1);
    std::from_chars(text.data(), text.data() + text.size(), exponent);
    number = number.substr(0, e);
  }
  // Any exponent beyond this has more digits than a decimal can hold.
  const int most = 100 + static_cast<int>(number.size());
  exponent = std::clamp(exponent, -most, most);
  const size_t point = std::min(number.find('.'), number.size());
  std::string digits(number.substr(0, point));
  if (point < number.size()) digits += number.substr(point + 1);
  auto at = static_cast<int>(point) + exponent;
  if (at < 0) digits.insert(0, static_cast<size_t>(-at), '0');
  at = std::max(at, 0);
  if (static_cast<size_t>(at) > digits.size()) digits.append(at - digits.size(), '0');
  return digits.insert(at, ".");
}

std::string ReadTextLiteral(std::string_view literal) {
  const bool raw = literal.front() == 'r' || literal.front() == 'R';
  std::string_view rest = literal.substr(raw ? 2 : 1, literal.size() - (raw ? 3 : 2));
  if (raw) return std::string(rest);
  std::string text;
  while (!rest.empty()) {
    if (rest.front() == '\\' && rest.size() > 1) {
      TakeEscape(rest, text);
      continue;
    }
    text += rest.front();
    rest.remove_prefix(rest.front() == '\'' ? 2 : 1);
  }
  return text;
}

std::string ReadNameLiteral(std::string_view literal) {
  const char quote = literal.front();
  std::string name;
  for (size_t i = 1; i + 1 < literal.size(); ++i) {
    name += literal[i];
    if (literal[i] == quote) ++i;
  }
  return name;
}

std::string DuckTextLiteral(std::string_view text) {
  const size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return InQuotes(text, '\'');
  std::string literal = "(" + InQuotes(text.substr(0, zero), '\'');
  for (size_t at = zero; at < text.size();) {
    const size_t next = std::min(text.find('\0', at + 1), text.size());
    literal += " || chr(0) || " + InQuotes(text.substr(at + 1, next - at - 1), '\'');
    at = next;
  }
  return literal + ")";
}

Result<std::string> DuckNumber(std::string_view sign, std::string_view number) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"D", "DOUBLE"}, {"F", "FLOAT"}, {"L", "BIGINT"}, {"S", "SMALLINT"}, {"Y", "TINYINT"}};
  const std::string capitals = Upper(number);
  const size_t end = std::min(capitals.find_last_of("0123456789.") + 1, capitals.size());
  const std::string_view suffix = std::string_view(capitals).substr(end);
  if (suffix == "BD") return DuckDecimal(sign, PlainDigits(number.substr(0, end)));
  for (const auto& [letter, type] : kTypes) {
    if (letter != suffix) continue;
    // Beside a decimal Spark gives a literal 7L or 7S the precision of its digits, which a plain
    // cast to BIGINT would hide.
    const bool counted = letter == "L" || letter == "S";
    const auto* const spelt =
        counted ? "CAST(CAST('{}{}' AS HUGEINT) AS {})" : "CAST('{}{}' AS {})";
    return fmt::format(fmt::runtime(spelt), sign, number.substr(0, end), type);
  }
  return DuckPlainNumber(sign, number);
}

}  // namespace protium
