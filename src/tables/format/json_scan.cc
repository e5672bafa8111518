// SPDX-License-Identifier: Apache-2.0
#include "format/json_scan.h"

#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace protium {
namespace {

constexpr int kDeepest = 100;  // Nested values are read by recursion.

int HexOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Returns the number of four hexadecimal digits; -1 if they are none.
int32_t UnitAt(const char* at, const char* end) {
  if (end - at < 4) return -1;
  int32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexOf(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

char PlainEscape(char c) {
  constexpr std::string_view kWritten = "bfnrt", kMeant = "\b\f\n\r\t";
  const size_t at = kWritten.find(c);
  return at == kWritten.npos ? c : kMeant[at];
}

}  // namespace

std::string JsonText(const JsonValue& value) {
  if (!value.escaped) return std::string(value.raw);
  // The scanner has checked all escapes: none is cut off, and pairs are complete.
  std::string text;
  const char* const end = value.raw.data() + value.raw.size();
  for (const char* at = value.raw.data(); at < end;) {
    if (*at != '\\') {
      text += *at++;
    } else if (at[1] != 'u') {
      text += PlainEscape(at[1]);
      at += 2;
    } else {
      auto character = static_cast<uint32_t>(UnitAt(at + 2, end));
      at += 6;
      if (character >= 0xd800 && character < 0xdc00) {
        const auto low = static_cast<uint32_t>(UnitAt(at + 2, end));
        character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      }
      AppendUtf8(character, text);
    }
  }
  return text;
}

void JsonScanner::SkipBlanks() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
}

bool JsonScanner::Refuse(const char* error) {
  if (error_ == nullptr) error_ = error;
  return false;
}

bool JsonScanner::Open(char bracket) {
  SkipBlanks();
  first_ = true;
  if (at_ == end_ || *at_ != bracket) return Refuse("a bracket is missing");
  ++at_;
  return true;
}

bool JsonScanner::Another(char closing) {
  SkipBlanks();
  const bool first = first_;
  first_ = false;
  if (at_ == end_) return Refuse("it ends within a value");
  if (*at_ == closing) {
    ++at_;
    return false;
  }
  if (first) return true;
  if (*at_ != ',') return Refuse("a comma is missing");
  ++at_;
  return true;
}

bool JsonScanner::Key(JsonValue& key) {
  SkipBlanks();
  if (at_ == end_ || *at_ != '"') return Refuse("a key in double quotes is missing");
  if (!Text(key)) return false;
  SkipBlanks();
  if (at_ == end_ || *at_ != ':') return Refuse("a colon is missing");
  ++at_;
  return true;
}

bool JsonScanner::End() {
  SkipBlanks();
  return at_ == end_ || Refuse("something follows the value");
}

bool JsonScanner::Word(std::string_view word) {
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) {
    return Refuse("this is not a value");
  }
  // The next step refuses what follows it, as in "nullx".
  at_ += word.size();
  return true;
}

// Called after the backslash. A character beyond 0xffff is written as a pair of units.
bool JsonScanner::Escape() {
  if (at_ == end_) return Refuse("a text is never closed");
  const char c = *at_++;
  if (c != 'u') {
    // strchr() also finds the 0 at the end of its text.
    return std::strchr("\"\\/bfnrt", c) != nullptr && c != 0 ? true : Refuse("an unknown escape");
  }
  const int32_t unit = UnitAt(at_, end_);
  if (unit < 0) return Refuse("\\u without four hexadecimal digits");
  at_ += 4;
  if (unit < 0xd800 || unit > 0xdfff) return true;
  const bool pair = unit < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u';
  const int32_t low = pair ? UnitAt(at_ + 2, end_) : -1;
  if (low < 0xdc00 || low > 0xdfff) return Refuse("\\u with half a character");
  at_ += 6;
  return true;
}

bool JsonScanner::Text(JsonValue& value) {
  const char* const start = ++at_;
  value.kind = JsonValue::Kind::kText;
  value.escaped = false;
  while (at_ < end_ && *at_ != '"') {
    if (static_cast<uint8_t>(*at_) < 0x20) return Refuse("a text with a control character");
    if (*at_++ != '\\') continue;
    value.escaped = true;
    if (!Escape()) return false;
  }
  if (at_ == end_) return Refuse("a text is never closed");
  value.raw = {start, static_cast<size_t>(at_ - start)};
  ++at_;
  return true;
}

bool JsonScanner::Digits() {
  const char* const start = at_;
  while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
  return at_ > start || Refuse("a number without digits");
}

bool JsonScanner::Number(JsonValue& value) {
  value.kind = JsonValue::Kind::kNumber;
  const char* const start = at_;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  if (at_ < end_ && *at_ == 'I') {
    value.raw = negative ? "-Inf" : "Inf";
    return Word("Infinity");
  }
  if (at_ + 1 < end_ && *at_ == '0' && at_[1] >= '0' && at_[1] <= '9') {
    return Refuse("a number that begins with 0");
  }
  if (!Digits()) return false;
  if (at_ < end_ && *at_ == '.') {
    ++at_;
    if (!Digits()) return false;
  }
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!Digits()) return false;
  }
  value.raw = {start, static_cast<size_t>(at_ - start)};
  return true;
}

bool JsonScanner::Nested(JsonValue& value, char opening, char closing) {
  const char* const start = at_;
  if (++depth_ > kDeepest) return Refuse("values are nested more than 100 deep");
  JsonValue inner;
  // Cannot fail: Value() has seen the bracket.
  Open(opening);
  while (Another(closing)) {
    if (opening == '{' && !Key(inner)) return false;
    if (!Value(inner)) return false;
  }
  --depth_;
  value.kind = opening == '{' ? JsonValue::Kind::kObject : JsonValue::Kind::kList;
  value.raw = {start, static_cast<size_t>(at_ - start)};
  // The nested value is a member of the enclosing bracket.
  first_ = false;
  return error_ == nullptr;
}

bool JsonScanner::Value(JsonValue& value) {
  SkipBlanks();
  if (at_ == end_) return Refuse("it ends where a value is expected");
  value.escaped = false;
  const char* const start = at_;
  switch (*at_) {
    case '"':
      return Text(value);
    case '{':
      return Nested(value, '{', '}');
    case '[':
      return Nested(value, '[', ']');
    case 'n':
      value = {.kind = JsonValue::Kind::kNull, .raw = "null"};
      return Word("null");
    case 't':
    case 'f':
      value = {.kind = JsonValue::Kind::kBool, .raw = *start == 't' ? "true" : "false"};
      return Word(value.raw);
    case 'N':
      value = {.kind = JsonValue::Kind::kNumber, .raw = "NaN"};
      return Word("NaN");
    default:
      break;
  }
  const bool number = *at_ == '-' || *at_ == 'I' || (*at_ >= '0' && *at_ <= '9');
  return number ? Number(value) : Refuse("this is not a value");
}

}  // namespace protium
