// SPDX-License-Identifier: Apache-2.0
// Text functions that DuckDB lacks, or whose edge cases differ. find_in_set, levenshtein, soundex
// and substring_index are methods of Spark's UTF8String, which these follow.
#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/code_points.h"

namespace protium {
namespace {

// The text up to delimiter number `count`, or from that one counted from the end. Occurrences may
// overlap.
std::optional<Text> SubstringIndex(Chunk&, Text text, Text delimiter, int32_t count) {
  if (delimiter.empty() || count == 0) return Text();
  if (count > 0) {
    size_t at = std::string::npos;
    for (int32_t found = 0; found < count; ++found) {
      at = text.find(delimiter, at == std::string::npos ? 0 : at + 1);
      if (at == std::string::npos) return text;
    }
    return text.substr(0, at);
  }
  size_t at = text.size();
  for (int32_t found = 0; found > count; --found) {
    if (at == 0) return text;
    at = text.rfind(delimiter, at - 1);
    if (at == std::string::npos) return text;
  }
  return text.substr(at + delimiter.size());
}

// The byte where a position of SQL begins: 1 is the first character, and so is 0; negative
// positions count from the end.
size_t OffsetOfPosition(Text text, int64_t position) {
  if (position > 0) return FindOffset(text, position - 1);
  return position == 0 ? 0
                       : FindOffset(text, std::max<int64_t>(CountCodePoints(text) + position, 0));
}

// overlay (Spark's Overlay.calculate): replaces `length` characters from number `position` on with
// `other`; -1: as many as `other` has.
std::optional<std::string> Overlay(Chunk&, Text text, Text other, int32_t position,
                                   int32_t length) {
  const int64_t replaced = length >= 0 ? length : CountCodePoints(other);
  std::string out(text.substr(0, position > 0 ? FindOffset(text, position - 1) : 0));
  out += other;
  out += text.substr(OffsetOfPosition(text, position + replaced));
  return out;
}

// The number of the part of the comma-separated list that equals `word`; 0 if there is none.
std::optional<int32_t> FindInSet(Chunk&, Text word, Text list) {
  if (word.find(',') != Text::npos) return 0;
  int32_t number = 1;
  for (size_t start = 0;; ++number) {
    const size_t end = std::min(list.find(',', start), list.size());
    if (list.substr(start, end - start) == word) return number;
    if (end == list.size()) return 0;
    start = end + 1;
  }
}

// The American Soundex code: the first letter and three digits. Text that does not begin with a
// letter is returned as it is.
std::optional<std::string> Soundex(Chunk&, Text text) {
  // For A to Z: a digit; 0 for vowels, which separate equal digits, and 7 for H and W, which do
  // not.
  constexpr std::string_view kCodes = "01230127022455012623017202";
  if (text.empty() || ToUpper(text[0]) < 'A' || ToUpper(text[0]) > 'Z') return std::string(text);
  std::string code(1, ToUpper(text[0]));
  char last = kCodes[static_cast<size_t>(code[0] - 'A')];
  for (size_t i = 1; i < text.size() && code.size() < 4; ++i) {
    const char letter = ToUpper(text[i]);
    if (letter < 'A' || letter > 'Z') {
      last = '0';
      continue;
    }
    const char digit = kCodes[static_cast<size_t>(letter - 'A')];
    if (digit == '7') continue;
    if (digit != '0' && digit != last) code += digit;
    last = digit;
  }
  code.resize(4, '0');
  return code;
}

// The check digit of card numbers (ISO/IEC 7812-1): from the right, every second digit counts
// twice, and the sum of all digits must end in 0.
std::optional<bool> LuhnCheck(Chunk&, Text digits) {
  int32_t sum = 0;
  bool twice = false;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, twice = !twice) {
    if (*at < '0' || *at > '9') return false;
    const int32_t digit = (*at - '0') * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return !digits.empty() && sum % 10 == 0;
}

// The text as a literal of Spark's SQL.
std::optional<std::string> Quote(Chunk&, Text text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// The number of code points to insert, delete or replace to turn one text into the other. One row
// of the table is enough.
int32_t EditDistance(std::u32string_view a, std::u32string_view b) {
  std::vector<int32_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int32_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int32_t diagonal = std::exchange(row[0], static_cast<int32_t>(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      const int32_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::optional<int32_t> Levenshtein(Chunk&, Text a, Text b) {
  return EditDistance(ToCodePoints(a), ToCodePoints(b));
}

// Replaces upper-case letters, lower-case letters, digits and everything else with the given
// characters; an empty one leaves them as they are.
std::optional<std::string> Mask(Chunk& chunk, Text text, Text upper, Text lower, Text digit,
                                Text other) {
  for (const Text mask : {upper, lower, digit, other}) {
    if (CountCodePoints(mask) > 1) chunk.error = "each letter given to mask must be one character";
  }
  std::string masked;
  for (size_t at = 0; at < text.size();) {
    const size_t length = CodeLength(text[at]);
    const Text one = text.substr(at, length);
    const int32_t point = static_cast<int32_t>(ToCodePoints(one)[0]);
    const Text mask = u_isupper(point)   ? upper
                      : u_islower(point) ? lower
                      : u_isdigit(point) ? digit
                                         : other;
    masked += mask.empty() ? one : mask;
    at += length;
  }
  return masked;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&FindInSet>("pt_find_in_set"),
    AsRowFunction<&Levenshtein>("pt_levenshtein"),
    AsRowFunction<&LuhnCheck>("pt_luhn_check"),
    AsRowFunction<&Mask>("pt_mask").FailsFor({1, 2, 3, 4}),
    AsRowFunction<&Overlay>("pt_overlay"),
    AsRowFunction<&Quote>("pt_quote"),
    AsRowFunction<&Soundex>("pt_soundex"),
    AsRowFunction<&SubstringIndex>("pt_substring_index"),
};

}  // namespace

std::span<const RowFunction> TextFunctions() { return kFunctions; }

}  // namespace protium
