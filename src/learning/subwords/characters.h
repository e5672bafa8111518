// SPDX-License-Identifier: Apache-2.0
// What tokenizers take a character for. Hugging Face's keep to several versions of Unicode at once,
// so the tables were asked of them (scripts/character_tables.py).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Of a character: any of these.
enum CharacterClass : uint8_t {
  kBlank = 1,
  kControl = 2,  // Left out of texts.
  kPunctuation = 4,
  kMark = 8,  // Accents that follow their letter.
  kLetter = 16,
  kNumber = 32,
  kIdeograph = 64,  // A word of its own.
};

// Immutable; 1.1 MB.
class Characters {
 public:
  Characters();

  bool Is(char32_t code, uint8_t classes) const {
    return code < classes_.size() && (classes_[code] & classes) != 0;
  }
  // Appends its lower case, without a look at its neighbours.
  void AppendLower(char32_t code, std::u32string& to) const;
  // Appends what it is composed of (canonically, as in Unicode's NFD), but marks.
  void AppendWithoutMarks(char32_t code, std::u32string& to) const;

 private:
  struct Run {  // Every `step` characters from `first` to `last`, the first one becoming `to`.
    char32_t first, last, step, to;
  };
  struct Parts {
    char32_t whole;
    std::u32string parts;
  };

  std::vector<uint8_t> classes_;  // By code point.
  std::vector<Run> lower_;
  std::vector<Parts> decomposed_;  // By `whole`.
};

std::string AsUtf8(std::u32string_view codes);

}  // namespace protium
