// SPDX-License-Identifier: Apache-2.0
#include "java/json_tokens.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.h"
#include "java/code_points.h"
#include "java/number_text.h"

namespace protium {
namespace {

using Kind = JsonTokens::Kind;

bool IsWordPart(char c) {
  return IsNameCharacter(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr size_t kDeepest = 1000;  // Objects and arrays within each other, as in Jackson.

}  // namespace

Kind JsonTokens::Bad() { return kind_ = Kind::kBad; }

void JsonTokens::SkipBlanks() {
  while (at_ < json_.size() && kBlanks.find(json_[at_]) != std::string_view::npos) ++at_;
}

// Whether a number may end here: at the top level a blank must follow it.
bool JsonTokens::NumberEnds() const {
  return !open_.empty() || at_ == json_.size() ||
         kBlanks.find(json_[at_]) != std::string_view::npos;
}

Kind JsonTokens::Next() {
  if (kind_ == Kind::kBad) return kind_;
  SkipBlanks();
  begin_ = at_;
  if (at_ == json_.size()) return open_.empty() && !after_name_ ? kind_ = Kind::kNone : Bad();
  if (after_name_) {
    after_name_ = false;
    return kind_ = Value();
  }
  if (open_.empty()) return kind_ = Value();
  const bool object = open_.back() == '{';
  if (json_[at_] == (object ? '}' : ']')) {
    ++at_;
    open_.pop_back();
    first_ = false;
    return kind_ = object ? Kind::kEndObject : Kind::kEndArray;
  }
  if (!first_) {
    if (json_[at_] != ',') return Bad();
    ++at_;
    SkipBlanks();
    begin_ = at_;
    if (at_ == json_.size()) return Bad();
  }
  first_ = false;
  if (!object) return kind_ = Value();
  const char quote = json_[at_];
  if ((quote != '"' && quote != '\'') || !Quoted(quote)) return Bad();
  SkipBlanks();
  if (at_ == json_.size() || json_[at_] != ':') return Bad();
  ++at_;
  after_name_ = true;
  return kind_ = Kind::kName;
}

Kind JsonTokens::Value() {
  const char c = json_[at_];
  switch (c) {
    case '{':
    case '[':
      if (open_.size() == kDeepest) return Kind::kBad;
      ++at_;
      open_.push_back(c);
      first_ = true;
      return c == '{' ? Kind::kStartObject : Kind::kStartArray;
    case '"':
    case '\'':
      return Quoted(c) ? Kind::kText : Kind::kBad;
    case 't':
      return Word("true", Kind::kTrue);
    case 'f':
      return Word("false", Kind::kFalse);
    case 'n':
      return Word("null", Kind::kNull);
    default:
      return IsDigit(c) || c == '-' ? Number() : NotNumber();
  }
}

Kind JsonTokens::Word(std::string_view word, Kind kind) {
  if (!json_.substr(at_).starts_with(word)) return Kind::kBad;
  text_ = word;
  at_ += word.size();
  return at_ < json_.size() && IsWordPart(json_[at_]) ? Kind::kBad : kind;
}

Kind JsonTokens::NotNumber() {
  if (!not_numbers_) return Kind::kBad;
  for (const char* const word :
       {"NaN", "Infinity", "+Infinity", "-Infinity", "INF", "+INF", "-INF"}) {
    if (Word(word, Kind::kFraction) == Kind::kFraction) return Kind::kFraction;
  }
  return Kind::kBad;
}

Kind JsonTokens::Number() {
  const size_t begin = at_;
  const auto digits = [&] {
    const size_t first = at_;
    while (at_ < json_.size() && IsDigit(json_[at_])) ++at_;
    return at_ > first;
  };
  if (json_[at_] == '-') ++at_;
  if (at_ < json_.size() && !IsDigit(json_[at_])) {
    at_ = begin;
    return NotNumber();
  }
  const size_t first = at_;
  if (!digits() || (json_[first] == '0' && at_ - first > 1)) return Kind::kBad;
  Kind kind = Kind::kWhole;
  if (at_ < json_.size() && json_[at_] == '.') {
    kind = Kind::kFraction;
    ++at_;
    if (!digits()) return Kind::kBad;
  }
  if (at_ < json_.size() && (json_[at_] == 'e' || json_[at_] == 'E')) {
    kind = Kind::kFraction;
    ++at_;
    if (at_ < json_.size() && (json_[at_] == '+' || json_[at_] == '-')) ++at_;
    if (!digits()) return Kind::kBad;
  }
  text_ = json_.substr(begin, at_ - begin);
  return NumberEnds() ? kind : Kind::kBad;
}

bool JsonTokens::Quoted(char quote) {
  text_.clear();
  for (++at_; at_ < json_.size(); ++at_) {
    const char c = json_[at_];
    if (c == quote) {
      ++at_;
      return true;
    }
    if (c != '\\') {
      text_ += c;
    } else if (!Escape()) {
      return false;
    }
  }
  return false;
}

// Reads the four digits behind the current byte, and stays at the last of them.
bool JsonTokens::Hex(uint32_t& unit) {
  if (at_ + 4 >= json_.size()) return false;
  const char* const begin = json_.data() + at_ + 1;
  const auto read = std::from_chars(begin, begin + 4, unit, 16);
  at_ += 4;
  return read.ec == std::errc() && read.ptr == begin + 4;
}

bool JsonTokens::Escape() {
  constexpr std::string_view kLetters = "bfnrt\"'\\/", kMeant = "\b\f\n\r\t\"'\\/";
  if (++at_ == json_.size()) return false;
  if (json_[at_] != 'u') {
    const size_t found = kLetters.find(json_[at_]);
    if (found == std::string_view::npos) return false;
    text_ += kMeant[found];
    return true;
  }
  uint32_t unit = 0, low = 0;
  if (!Hex(unit)) return false;
  if (unit < 0xd800 || unit > 0xdfff) {
    AppendUtf8(unit, text_);
    return true;
  }
  // Two escapes make one character beyond 16 bits; one of them alone is not a character.
  if (unit > 0xdbff || !json_.substr(at_ + 1).starts_with("\\u")) return false;
  at_ += 2;
  if (!Hex(low) || low < 0xdc00 || low > 0xdfff) return false;
  AppendUtf8(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), text_);
  return true;
}

bool JsonTokens::SkipChildren() {
  if (kind_ != Kind::kStartObject && kind_ != Kind::kStartArray) return kind_ != Kind::kBad;
  const size_t outside = open_.size() - 1;
  while (open_.size() > outside) {
    if (Next() == Kind::kBad) return false;
  }
  return true;
}

bool JsonTokens::CopyParts(std::string& out, bool escaped) {
  const bool object = kind_ == Kind::kStartObject;
  out += object ? '{' : '[';
  for (bool first = true;; first = false) {
    const Kind kind = Next();
    if (kind == Kind::kBad) return false;
    if (kind == (object ? Kind::kEndObject : Kind::kEndArray)) break;
    if (!first) out += ',';
    if (object) {
      WriteJsonText(text_, out, escaped);
      out += ':';
      Next();
    }
    if (!Copy(out, escaped)) return false;
  }
  out += object ? '}' : ']';
  return true;
}

bool JsonTokens::Copy(std::string& out, bool escaped) {
  switch (kind_) {
    case Kind::kStartObject:
    case Kind::kStartArray:
      return CopyParts(out, escaped);
    case Kind::kText:
      WriteJsonText(text_, out, escaped);
      return true;
    case Kind::kWhole:
      out += text_ == "-0" ? "0" : text_;
      return true;
    case Kind::kFraction:
      WriteJsonNumber(ReadJsonNumber(text_), out);
      return true;
    case Kind::kTrue:
    case Kind::kFalse:
    case Kind::kNull:
      out += text_;
      return true;
    default:
      return false;
  }
}

double ReadJsonNumber(std::string_view digits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (digits == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (digits.find('I') != std::string_view::npos) {
    return digits.starts_with('-') ? -kInfinity : kInfinity;
  }
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const bool minus = digits.starts_with('-');
  const size_t exponent = digits.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && digits[exponent + 1] == '-';
  if (tiny) return minus ? -0.0 : 0.0;
  return minus ? -kInfinity : kInfinity;
}

void WriteJsonText(std::string_view text, std::string& out, bool escaped) {
  constexpr std::string_view kMeant = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const size_t found = kMeant.find(c);
    if (found != std::string_view::npos) {
      out += '\\';
      out += kLetters[found];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else if (escaped && CodeLength(c) == 4 && i + 4 <= text.size()) {
      const char32_t wide = ToCodePoints(text.substr(i, 4))[0] - 0x10000;
      out += fmt::format("\\u{:04X}\\u{:04X}", 0xd800 + static_cast<uint32_t>(wide >> 10),
                         0xdc00 + static_cast<uint32_t>(wide & 0x3ff));
      i += 3;
    } else {
      out += c;
    }
  }
  out += '"';
}

void WriteJsonNumber(double value, std::string& out) {
  const std::string text = JavaText(value);
  out += std::isfinite(value) ? text : '"' + text + '"';
}

}  // namespace protium
