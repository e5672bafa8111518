// SPDX-License-Identifier: Apache-2.0
// to_char() and to_number() as Spark's ToNumberParser does them, one part of the pattern at a time
// (sql_words/digit_pattern.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "sql_words/digit_pattern.h"

namespace protium {
namespace {

using Kind = DigitPart::Kind;

// The pattern of a chunk's rows; all queries have a single one.
struct DigitPatterns : Chunk {
  std::string text;
  std::optional<DigitPattern> pattern;

  bool Read(Text given) {
    if (pattern && given == text) return true;
    text = given;
    pattern = ReadDigitPattern(given);
    if (!pattern) error = fmt::format("the pattern '{}' of a number is not supported", given);
    return pattern.has_value();
  }
};

// Reads a text from left to right by the parts of a pattern.
class NumberReading {
 public:
  explicit NumberReading(Text text) : text_(text) {}

  // The number in plain digits.
  std::optional<std::string> Run(const DigitPattern& pattern) {
    for (size_t i = 0; i < pattern.parts.size(); ++i) {
      const DigitPart& part = pattern.parts[i];
      if (part.kind == Kind::kComma) continue;  // Read with the digits before it.
      if (part.kind == Kind::kDigits && i > 0 && pattern.parts[i - 1].kind == Kind::kComma)
        continue;
      if (part.kind == Kind::kDigits ? !ReadDigits(pattern, i) : !ReadMark(part.kind)) {
        return std::nullopt;
      }
    }
    if (!text_.empty() || whole_.size() + fraction_.size() == 0) return std::nullopt;
    return (negative_ ? "-" : "") + (whole_.empty() ? "0" : whole_) + "." + fraction_ + "0";
  }

 private:
  bool Take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // All marks but the dollar may be missing.
  bool ReadMark(Kind kind) {
    if (kind == Kind::kDollar) return Take('$');
    if (kind == Kind::kPoint) {
      behind_point_ = Take('.') || behind_point_;
    } else if (kind == Kind::kOpen) {
      Take('<');
    } else if (kind == Kind::kClose) {
      negative_ = Take('>') != negative_;
    } else if (kind == Kind::kMinus || !Take('+')) {
      negative_ = Take('-') != negative_;
    }
    return true;
  }

  // Reads digits with commas between them and blanks anywhere. Groups are compared with those of
  // the pattern, starting from the last one.
  bool ReadDigits(const DigitPattern& pattern, size_t first) {
    std::vector<int> groups = {0};
    for (; !text_.empty(); text_.remove_prefix(1)) {
      const char c = text_.front();
      if (c == ',') {
        groups.push_back(0);
      } else if (IsDigit(c)) {
        ++groups.back();
        (behind_point_ ? fraction_ : whole_) += c;
      } else if (c != ' ' && (c < '\t' || c > '\r')) {
        break;
      }
    }
    size_t last = first;
    while (last + 2 < pattern.parts.size() && pattern.parts[last + 1].kind == Kind::kComma) {
      last += 2;
    }
    std::reverse(groups.begin(), groups.end());
    const size_t wanted = (last - first) / 2 + 1;
    if (groups.size() > wanted) return false;
    for (size_t i = 0; i < wanted; ++i) {
      const DigitPart& part = pattern.parts[last - 2 * i];
      const int count = i < groups.size() ? groups[i] : 0;
      if (part.exact ? count != part.digits : count > part.digits) return false;
    }
    return true;
  }

  Text text_;
  std::string whole_, fraction_;
  bool behind_point_ = false, negative_ = false;
};

// Writes a number by the parts of a pattern.
class NumberWriting {
 public:
  // `number` is a decimal in plain digits.
  NumberWriting(Text number, const DigitPattern& pattern) {
    negative_ = number.starts_with('-');
    if (negative_) number.remove_prefix(1);
    const size_t point = std::min(number.find('.'), number.size());
    whole_ = number.substr(0, point);
    fraction_ = point < number.size() ? number.substr(point + 1) : "";
    whole_.erase(0, std::min(whole_.find_first_not_of('0'), whole_.size()));
    fraction_.erase(fraction_.find_last_not_of('0') + 1);
    const auto before = static_cast<size_t>(pattern.whole);
    const auto behind = static_cast<size_t>(pattern.fraction);
    zero_ = whole_.empty() && fraction_.empty();
    // If there are more digits than the pattern has, signs replace the digits.
    if (whole_.size() > before || fraction_.size() > behind) {
      whole_.assign(before, '#');
      fraction_.assign(behind, '#');
    }
    whole_.insert(0, before - whole_.size(), ' ');
    fraction_.resize(behind, '0');
  }

  std::string Run(const DigitPattern& pattern) {
    for (const DigitPart& part : pattern.parts) Write(part);
    BlankLonePoint();
    return written_;
  }

 private:
  void Write(const DigitPart& part) {
    const bool below = negative_ && !zero_;
    switch (part.kind) {
      case Kind::kDigits:
        return WriteDigits(part);
      case Kind::kComma:
        if (!written_.empty() && IsDigit(written_.back())) {
          written_ += ',';
        } else {
          AddBlank();
        }
        return;
      case Kind::kPoint:
        if (written_.ends_with(' ')) written_.back() = '0';
        written_ += '.';
        behind_point_ = true;
        return;
      case Kind::kDollar:
        written_ += '$';
        return;
      case Kind::kSign:
        return AddSign(below ? '-' : '+');
      case Kind::kMinus:
        if (below) return AddSign('-');
        written_ += ' ';
        return;
      case Kind::kOpen:
        if (below) written_ += '<';
        return;
      case Kind::kClose:
        if (below) return AddSign('>');
        BlankLonePoint();
        written_ += "  ";
        return;
    }
  }

  void WriteDigits(const DigitPart& part) {
    for (int i = 0; i < part.digits; ++i) {
      if (behind_point_) {
        written_ += fraction_[at_fraction_++];
        continue;
      }
      const char digit = whole_[at_whole_++];
      if (digit != ' ') {
        written_ += digit;
      } else if (part.exact) {
        written_ += '0';
      } else {
        AddBlank();
      }
    }
  }

  // A sign in front is written next to its number, behind the blanks.
  void AddBlank() {
    written_ += ' ';
    const auto is_sign = [](char c) { return c == '+' || c == '-' || c == '<'; };
    for (size_t i = written_.size() - 1; i > 0 && is_sign(written_[i - 1]); --i) {
      std::swap(written_[i - 1], written_[i]);
    }
  }

  // A sign behind the number is written before the blanks.
  void AddSign(char sign) {
    BlankLonePoint();
    written_ += sign;
    for (size_t i = written_.size() - 1; i > 0 && written_[i - 1] == ' '; --i) {
      std::swap(written_[i - 1], written_[i]);
    }
  }

  void BlankLonePoint() {
    if (written_.ends_with('.')) written_.back() = ' ';
  }

  std::string whole_, fraction_, written_;
  size_t at_whole_ = 0, at_fraction_ = 0;
  bool negative_ = false, zero_ = false, behind_point_ = false;
};

std::optional<std::string> WriteNumber(DigitPatterns& patterns, Text number, Text pattern) {
  if (!patterns.Read(pattern)) return std::nullopt;
  return NumberWriting(number, *patterns.pattern).Run(*patterns.pattern);
}

std::optional<std::string> TryReadNumber(DigitPatterns& patterns, Text text, Text pattern) {
  if (!patterns.Read(pattern)) return std::nullopt;
  return NumberReading(text).Run(*patterns.pattern);
}

std::optional<std::string> ReadNumber(DigitPatterns& patterns, Text text, Text pattern) {
  auto number = TryReadNumber(patterns, text, pattern);
  if (!number && patterns.error.empty()) {
    patterns.error = fmt::format("the pattern '{}' does not fit the number '{}'",
                                 pattern.substr(0, 80), text.substr(0, 80));
  }
  return number;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&ReadNumber>("pt_read_number").FailsFor({0, 1}),
    AsRowFunction<&TryReadNumber>("pt_try_read_number").FailsFor({1}),
    AsRowFunction<&WriteNumber>("pt_write_number").FailsFor({1}),
};

}  // namespace

std::span<const RowFunction> NumberPatternFunctions() { return kFunctions; }

}  // namespace protium
