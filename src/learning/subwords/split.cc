// SPDX-License-Identifier: Apache-2.0
#include "subwords/split.h"

namespace protium {
namespace {

using Words = std::vector<std::u32string_view>;

Words Between(std::u32string_view text, const Characters& characters, bool punctuation) {
  Words words;
  size_t begin = 0;
  const auto end_at = [&](size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const bool blank = characters.Is(text[i], kBlank);
    const bool alone = !blank && punctuation && characters.Is(text[i], kPunctuation);
    if (!blank && !alone) continue;
    end_at(i);
    if (alone) words.push_back(text.substr(i, 1));
    begin = i + 1;
  }
  end_at(text.size());
  return words;
}

// The words that GPT-2's tokenizer finds by its pattern, which lists what a word may be, the first
// that fits counts: 's, 't, 're, 've, 'm, 'll, 'd; letters, numbers or other characters with at
// most one space before them; blanks, without the last one if something follows; blanks.
class ByPattern {
 public:
  ByPattern(std::u32string_view text, const Characters& characters)
      : text_(text), characters_(characters) {}

  Words All() const {
    Words words;
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = EndOf(begin);
      words.push_back(text_.substr(begin, end - begin));
      begin = end;
    }
    return words;
  }

 private:
  // Of the kinds that stay together.
  uint8_t KindAt(size_t i) const {
    for (const uint8_t kind : {kBlank, kLetter, kNumber}) {
      if (characters_.Is(text_[i], kind)) return kind;
    }
    return 0;
  }

  size_t Shortened(size_t begin) const {
    for (const std::u32string_view each : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"}) {
      if (text_.substr(begin).starts_with(each)) return begin + each.size();
    }
    return begin;
  }

  size_t RunFrom(size_t i) const {
    const uint8_t kind = KindAt(i);
    while (i < text_.size() && KindAt(i) == kind) ++i;
    return i;
  }

  size_t EndOf(size_t begin) const {
    const size_t end = Shortened(begin);
    if (end > begin) return end;
    if (KindAt(begin) != kBlank) return RunFrom(begin);
    const bool leads = text_[begin] == U' ' && begin + 1 < text_.size();
    if (leads && KindAt(begin + 1) != kBlank) return RunFrom(begin + 1);
    const size_t after = RunFrom(begin);
    return after == text_.size() || after - begin == 1 ? after : after - 1;
  }

  std::u32string_view text_;
  const Characters& characters_;
};

void AppendApart(char32_t code, std::u32string& to) {
  to += U' ';
  to += code;
  to += U' ';
}

}  // namespace

std::u32string Normalized(std::u32string_view text, const Characters& characters,
                          const TokenizerSettings& settings) {
  std::u32string apart, stripped, lower;
  for (const char32_t code : text) {
    if (settings.clean && characters.Is(code, kControl)) continue;
    if (settings.clean && characters.Is(code, kBlank)) {
      apart += U' ';
    } else if (settings.ideographs_apart && characters.Is(code, kIdeograph)) {
      AppendApart(code, apart);
    } else {
      apart += code;
    }
  }
  if (settings.strip_marks) {
    for (const char32_t code : apart) characters.AppendWithoutMarks(code, stripped);
  } else {
    stripped = std::move(apart);
  }
  if (!settings.lower_case) return stripped;
  for (const char32_t code : stripped) characters.AppendLower(code, lower);
  return lower;
}

Words WordsOf(std::u32string_view text, const Characters& characters,
              TokenizerSettings::Words words) {
  switch (words) {
    case TokenizerSettings::Words::kBlanksAndPunctuation:
      return Between(text, characters, true);
    case TokenizerSettings::Words::kBlanks:
      return Between(text, characters, false);
    case TokenizerSettings::Words::kBytes:
      return ByPattern(text, characters).All();
    case TokenizerSettings::Words::kWhole:
      break;
  }
  return text.empty() ? Words() : Words{text};
}

}  // namespace protium
