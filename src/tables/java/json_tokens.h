// SPDX-License-Identifier: Apache-2.0
// Reads JSON as Jackson's parser does for Spark: token by token, so that nothing behind the
// requested part is looked at. Texts may stand in single quotes and contain control characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

class JsonTokens {
 public:
  enum class Kind {
    kNone,  // Before the first token, and after the last.
    kBad,   // What follows is not JSON; no token comes after it.
    kStartObject,
    kEndObject,
    kStartArray,
    kEndArray,
    kName,
    kText,
    kWhole,
    kFraction,
    kTrue,
    kFalse,
    kNull,
  };

  // `not_numbers`: whether NaN, Infinity and the like are numbers (kFraction).
  explicit JsonTokens(std::string_view json, bool not_numbers = false)
      : json_(json), not_numbers_(not_numbers) {}

  // Moves on to the next token.
  Kind Next();
  Kind kind() const { return kind_; }
  // The content of a name or a text; the digits of a number exactly as written.
  const std::string& text() const { return text_; }
  // Where the token begins, and the first byte behind it.
  size_t begin() const { return begin_; }
  size_t end() const { return at_; }
  std::string_view json() const { return json_; }

  // Moves from the beginning of an object or array to its end; does nothing at any other token.
  // False if the content is not JSON.
  bool SkipChildren();

  // Writes the value that begins here and moves to its end: numbers as Java writes them, without
  // blanks. False if it is not JSON. Characters beyond 16 bits are written as two escapes, as
  // Jackson does where it writes bytes, unless `escaped` is false.
  bool Copy(std::string& out, bool escaped = true);

 private:
  Kind Bad();
  Kind Value();
  Kind Word(std::string_view word, Kind kind);
  Kind Number();
  Kind NotNumber();
  bool Quoted(char quote);
  bool Escape();
  bool Hex(uint32_t& unit);
  void SkipBlanks();
  bool NumberEnds() const;
  bool CopyParts(std::string& out, bool escaped);

  std::string_view json_;
  bool not_numbers_;
  size_t at_ = 0, begin_ = 0;
  Kind kind_ = Kind::kNone;
  std::string text_;
  std::vector<char> open_;  // The '{' and '[' that are open here.
  bool first_ = true;       // Whether the innermost of them is still empty.
  bool after_name_ = false;
};

// The double that the digits of a kFraction denote, infinite beyond its range; also NaN and the
// infinities under any of their names.
double ReadJsonNumber(std::string_view digits);

// Writes a text in quotes, with escapes where JSON needs them; with `escaped` also for characters
// beyond 16 bits.
void WriteJsonText(std::string_view text, std::string& out, bool escaped = false);

// Writes a number as Jackson's generator does; NaN and the infinities as texts.
void WriteJsonNumber(double value, std::string& out);

}  // namespace protium
