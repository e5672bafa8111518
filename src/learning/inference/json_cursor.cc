// SPDX-License-Identifier: Apache-2.0
#include "inference/json_cursor.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fault.h"
#include "base/utf8.h"

namespace protium {
namespace {

constexpr int kMostOpen = 200;  // As in ParseJson().
constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kNotUtf8 = "it is not UTF-8";
constexpr std::string_view kNoValue = "a value is missing or wrong";
constexpr std::string_view kNoEscape = "a text holds an escape that there is not";

bool IsSurrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xe000; }

}  // namespace

JsonCursor::JsonCursor(std::string_view text) : text_(text) {
  if (text_.starts_with(kMark)) text_.remove_prefix(kMark.size());
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text_)) Break(kNotUtf8);
}

bool JsonCursor::Break(std::string_view why) {
  if (!broken()) why_ = at_ < text_.size() ? why : "it ends too early";
  return false;
}

Status JsonCursor::Fault() const {
  // Line and column as an editor counts them.
  const std::string_view before = text_.substr(0, at_);
  const auto line = 1 + std::ranges::count(before, '\n');
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("not valid JSON: {}", why_),
               .where = why_ == kNotUtf8 ? "" : fmt::format("line {}, column {}", line, column)});
}

void JsonCursor::SkipSpaces() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

bool JsonCursor::Takes(char c) {
  const bool here = at_ < text_.size() && text_[at_] == c;
  at_ += here;
  return here;
}

JsonCursor::Kind JsonCursor::Peek() {
  if (broken()) return Kind::kNone;
  SkipSpaces();
  switch (at_ < text_.size() ? text_[at_] : '\0') {
    case '[':
      return Kind::kList;
    case '{':
      return Kind::kObject;
    case '"':
      return Kind::kText;
    case 't':
    case 'f':
      return Kind::kFlag;
    case 'n':
      return Kind::kNull;
    default:
      break;
  }
  if (NumberBegins(rest())) return Kind::kNumber;
  Break(kNoValue);
  return Kind::kNone;
}

std::optional<JsonNumber> JsonCursor::TakeNumber() {
  const auto number = NumberAt(rest());
  if (number) {
    at_ += number->text.size();
  } else {
    Break("a number is not written as JSON has them");
  }
  return number;
}

bool JsonCursor::TakesWord(std::string_view word) {
  if (!rest().starts_with(word)) return Break(kNoValue);
  at_ += word.size();
  return true;
}

std::optional<bool> JsonCursor::TakeFlag() {
  const bool flag = text_[at_] == 't';
  return TakesWord(flag ? "true" : "false") ? std::optional(flag) : std::nullopt;
}

bool JsonCursor::TakeNull() { return TakesWord("null"); }

std::optional<std::string_view> JsonCursor::TakeText() {
  size_t begin = ++at_;
  bool escaped = false;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) {
        Break("a text holds a control character");
        return std::nullopt;
      }
      ++at_;
      continue;
    }
    if (!escaped) unescaped_.clear();
    escaped = true;
    unescaped_ += text_.substr(begin, at_ - begin);
    if (!TakeEscape()) return std::nullopt;
    begin = at_;
  }
  const std::string_view last = text_.substr(begin, at_ - begin);
  if (!Takes('"')) {
    Break({});
    return std::nullopt;
  }
  if (!escaped) return last;
  unescaped_ += last;
  return unescaped_;
}

// The four digits of \u.
std::optional<char32_t> JsonCursor::TakeHex() {
  const std::string_view digits = text_.substr(at_, 4);
  uint32_t unit = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, unit, 16);
  if (digits.size() < 4 || read.ptr != end) return std::nullopt;
  at_ += 4;
  return char32_t(unit);
}

bool JsonCursor::TakeEscape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  ++at_;
  const size_t letter = at_ < text_.size() ? kLetters.find(text_[at_]) : kLetters.npos;
  if (letter != kLetters.npos) {
    ++at_;
    unescaped_ += kMeant[letter];
    return true;
  }
  const auto unit = Takes('u') ? TakeHex() : std::nullopt;
  if (!unit) return Break(kNoEscape);
  char32_t point = *unit;
  if (IsSurrogate(point)) {
    // A high surrogate and then a low one are one character.
    const auto low = Takes('\\') && Takes('u') ? TakeHex() : std::nullopt;
    if (point >= 0xdc00 || !low || !IsSurrogate(*low) || *low < 0xdc00) return Break(kNoEscape);
    point = 0x10000 + ((point - 0xd800) << 10) + (*low - 0xdc00);
  }
  AppendUtf8(point, unescaped_);
  return true;
}

bool JsonCursor::Enter() {
  if (open_ == kMostOpen) return Break("it is nested deeper than 200 levels");
  ++at_;
  ++open_;
  entered_ = true;
  return true;
}

bool JsonCursor::Next(char close) {
  if (broken()) return false;
  SkipSpaces();
  const bool first = std::exchange(entered_, false);
  if (Takes(close)) {
    --open_;
    return false;
  }
  if (!first && !Takes(',')) return Break("a comma or a bracket is missing or wrong");
  return true;
}

bool JsonCursor::NextMember(std::string_view& key) {
  if (!Next('}')) return false;
  SkipSpaces();
  if (!rest().starts_with('"')) return Break("a key is missing or wrong");
  const auto text = TakeText();
  if (!text) return false;
  key = *text;
  SkipSpaces();
  return Takes(':') || Break("a colon is missing");
}

bool JsonCursor::Pass() {
  std::string_view key;
  switch (Peek()) {
    case Kind::kList:
      if (!Enter()) return false;
      while (NextItem() && Pass()) {
      }
      return !broken();
    case Kind::kObject:
      if (!Enter()) return false;
      while (NextMember(key) && Pass()) {
      }
      return !broken();
    case Kind::kText:
      return TakeText().has_value();
    case Kind::kNumber:
      return TakeNumber().has_value();
    case Kind::kFlag:
      return TakeFlag().has_value();
    case Kind::kNull:
      return TakeNull();
    case Kind::kNone:
      break;
  }
  return false;
}

bool JsonCursor::AtEnd() {
  SkipSpaces();
  return at_ == text_.size() || Break("something follows its end");
}

}  // namespace protium
