// SPDX-License-Identifier: Apache-2.0
#include "sql_words/java_pattern.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace protium {
namespace {

struct Letter {
  char letter;
  size_t most;  // The most of the same letter in a row.
  bool read;    // Whether text can be read by it, not only written.
};

// The letters that mean the same in every language. Written times are in UTC, so that O, V, X, x, Z
// and z have one text each; only X, x and Z among them can be read, as plain offsets. G and others
// depend on the calendar's era; Spark refuses Y, w and u since 3.0.
constexpr std::array<Letter, 23> kLetters = {
    {{'D', 3, true},  {'E', 4, false}, {'F', 1, false}, {'H', 2, true},  {'K', 2, true},
     {'L', 4, false}, {'M', 4, true},  {'O', 4, false}, {'Q', 4, false}, {'S', 9, true},
     {'V', 2, false}, {'X', 5, true},  {'Z', 5, true},  {'a', 1, true},  {'d', 2, true},
     {'h', 2, true},  {'k', 2, true},  {'m', 2, true},  {'q', 4, false}, {'s', 2, true},
     {'x', 5, true},  {'y', 6, true},  {'z', 4, false}}};

bool IsKnown(char letter, size_t count, PatternUse use) {
  if ((letter == 'V' && count != 2) || (letter == 'O' && count != 1 && count != 4)) return false;
  // ZZZZ is the name of a zone.
  if (letter == 'Z' && count == 4 && use == PatternUse::kRead) return false;
  const auto found = std::find_if(kLetters.begin(), kLetters.end(),
                                  [&](const Letter& each) { return each.letter == letter; });
  return found != kLetters.end() && count <= found->most &&
         (found->read || use == PatternUse::kWrite);
}

void AddText(std::string_view text, std::vector<TimeField>& fields) {
  if (fields.empty() || fields.back().letter != 0) fields.push_back({});
  fields.back().text += text;
}

// Takes 'text' or '' from the front; false if the quote is never closed.
bool TakeQuoted(std::string_view& pattern, std::vector<TimeField>& fields) {
  const size_t end = pattern.find('\'', 1);
  if (end == std::string_view::npos) return false;
  AddText(end == 1 ? "'" : pattern.substr(1, end - 1), fields);
  pattern.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::optional<std::vector<TimeField>> ReadJavaPattern(std::string_view pattern, PatternUse use) {
  // Reserved by DateTimeFormatter: [ and ] enclose optional parts, the others have no use yet.
  constexpr std::string_view kReserved = "[]{}#";
  std::vector<TimeField> fields;
  while (!pattern.empty()) {
    const char first = pattern.front();
    if (first == '\'') {
      if (!TakeQuoted(pattern, fields)) return std::nullopt;
    } else if (IsLetter(first)) {
      const size_t count = std::min(pattern.find_first_not_of(first), pattern.size());
      if (!IsKnown(first, count, use)) return std::nullopt;
      fields.push_back({first, count, ""});
      pattern.remove_prefix(count);
    } else {
      if (kReserved.find(first) != std::string_view::npos) return std::nullopt;
      AddText(pattern.substr(0, 1), fields);
      pattern.remove_prefix(1);
    }
  }
  return fields;
}

}  // namespace protium
