// SPDX-License-Identifier: Apache-2.0
#include "sql/java_pattern.h"

#include <algorithm>
#include <array>

namespace protium {
namespace {

struct Field {
  std::string_view java;
  std::string_view posix;
};

constexpr std::array<Field, 26> kFields = {
    {{"yyyy", "%Y"}, {"y", "%Y"},    {"uuuu", "%Y"}, {"yy", "%y"},  {"MMMM", "%B"},
     {"MMM", "%b"},  {"MM", "%m"},   {"M", "%-m"},   {"dd", "%d"},  {"d", "%-d"},
     {"HH", "%H"},   {"H", "%-H"},   {"hh", "%I"},   {"h", "%-I"},  {"mm", "%M"},
     {"m", "%-M"},   {"ss", "%S"},   {"s", "%-S"},   {"SSS", "%g"}, {"SSSSSS", "%f"},
     {"a", "%p"},    {"EEEE", "%A"}, {"EEE", "%a"},  {"E", "%a"},   {"DDD", "%j"},
     {"D", "%-j"}}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void Literal(std::string_view text, std::string& out) {
  for (const char c : text) out.append(c == '%' ? 2 : 1, c);
}

// Takes 'text' or '' from the front; false when the quote is never closed.
bool TakeQuoted(std::string_view& pattern, std::string& out) {
  const size_t end = pattern.find('\'', 1);
  if (end == std::string_view::npos) return false;
  Literal(end == 1 ? "'" : pattern.substr(1, end - 1), out);
  pattern.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::optional<std::string> FromJavaPattern(std::string_view pattern) {
  std::string out;
  while (!pattern.empty()) {
    if (pattern.front() == '\'') {
      if (!TakeQuoted(pattern, out)) return std::nullopt;
      continue;
    }
    size_t length = 1;
    if (!IsLetter(pattern.front())) {
      Literal(pattern.substr(0, 1), out);
    } else {
      while (length < pattern.size() && pattern[length] == pattern.front()) ++length;
      const auto found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& field) {
        return field.java == pattern.substr(0, length);
      });
      if (found == kFields.end()) return std::nullopt;
      out += found->posix;
    }
    pattern.remove_prefix(length);
  }
  return out;
}

std::string_view ForeignToRe2(std::string_view pattern) {
  static constexpr std::array<std::string_view, 10> kForeign = {"(?=", "(?!", "(?<=", "(?<!", "(?>",
                                                                "++",  "*+",  "?+",   "\\G",  "&&"};
  for (const std::string_view token : kForeign) {
    if (pattern.find(token) != std::string_view::npos) return token;
  }
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (pattern[i + 1] >= '1' && pattern[i + 1] <= '9') return pattern.substr(i, 2);
    ++i;
  }
  return {};
}

}  // namespace protium
