// SPDX-License-Identifier: Apache-2.0
#include "subwords/characters.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "subwords/character_tables.h"

namespace protium {
namespace {

constexpr char32_t kCodes = 0x110000;
// Syllables of Hangul are composed of letters by a formula (Unicode, section 3.12).
constexpr char32_t kSyllables = 0xac00, kAfterSyllables = 0xd7a4;
constexpr char32_t kInitials = 0x1100, kVowels = 0x1161, kFinals = 0x11a7;
constexpr char32_t kVowelCount = 21, kFinalCount = 28;
constexpr char32_t kDottedI = 0x130;  // The only one whose lower case has two characters.

// Reads one number after the other.
class Table {
 public:
  explicit Table(std::string_view text) : text_(text) {}
  bool AtEnd() const { return text_.empty(); }
  char32_t Next() {
    int64_t difference = 0;
    const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), difference, 36).ptr;
    text_.remove_prefix(std::min(size_t(end - text_.data()) + 1, text_.size()));
    last_ += difference;
    return char32_t(last_);
  }

 private:
  std::string_view text_;
  int64_t last_ = 0;
};

void Mark(std::string_view table, CharacterClass as, std::vector<uint8_t>& classes) {
  for (Table left(table); !left.AtEnd();) {
    const char32_t first = left.Next(), last = left.Next();
    for (char32_t code = first; code <= last; ++code) classes[code] |= as;
  }
}

}  // namespace

Characters::Characters() : classes_(kCodes) {
  Mark(kBlankTable, kBlank, classes_);
  Mark(kControlTable, kControl, classes_);
  Mark(kPunctuationTable, kPunctuation, classes_);
  Mark(kMarkTable, kMark, classes_);
  Mark(kLetterTable, kLetter, classes_);
  Mark(kNumberTable, kNumber, classes_);
  Mark(kIdeographTable, kIdeograph, classes_);
  for (Table left(kLowerTable); !left.AtEnd();) {
    const char32_t first = left.Next(), last = left.Next(), step = left.Next(), to = left.Next();
    lower_.push_back({first, last, step, to});
  }
  for (Table left(kDecomposedTable); !left.AtEnd();) {
    const char32_t count = left.Next();
    Parts& parts = decomposed_.emplace_back(Parts{left.Next(), {}});
    for (char32_t i = 0; i < count; ++i) parts.parts += left.Next();
  }
}

void Characters::AppendLower(char32_t code, std::u32string& to) const {
  if (code == kDottedI) {
    to += U"i\u0307";
    return;
  }
  auto run = std::ranges::upper_bound(lower_, code, {}, &Run::first);
  const bool inside = run != lower_.begin() && code <= (--run)->last;
  to += inside && (code - run->first) % run->step == 0 ? code - run->first + run->to : code;
}

void Characters::AppendWithoutMarks(char32_t code, std::u32string& to) const {
  if (code >= kSyllables && code < kAfterSyllables) {
    const char32_t at = code - kSyllables, final = at % kFinalCount;
    to += kInitials + at / (kVowelCount * kFinalCount);
    to += kVowels + at / kFinalCount % kVowelCount;
    if (final != 0) to += kFinals + final;
    return;
  }
  const auto found = std::ranges::lower_bound(decomposed_, code, {}, &Parts::whole);
  if (found != decomposed_.end() && found->whole == code) {
    to += found->parts;
  } else if (!Is(code, kMark)) {
    to += code;
  }
}

std::string AsUtf8(std::u32string_view codes) {
  std::string text;
  text.reserve(codes.size());
  for (const char32_t code : codes) AppendUtf8(code, text);
  return text;
}

}  // namespace protium
