// SPDX-License-Identifier: Apache-2.0
// Scans JSON text (RFC 8259), value by value, without copies. It also accepts NaN, Infinity and
// -Infinity, as Python writes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace protium {

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  // As written; for a text, what is between its quotes. The three numbers that RFC 8259 lacks are
  // NaN, Inf and -Inf, as in cells.
  std::string_view raw;
  bool escaped = false;  // A text with backslashes.
};

// Returns the text of a kText.
std::string JsonText(const JsonValue& value);

// Reads from the front: Open(), then, as long as Another() returns true, Key() (in an object) and
// Value(), then End(). Everything it passes is checked, including nested values, except UTF-8,
// which the reader of the text has checked (format/text_source.h). `text` must outlive the scanner
// and the values, which point into it. Do not use it after an error. One thread.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // Each of these returns false if the text is malformed there: error() then says how, and column()
  // where.
  //
  // Takes the bracket that begins an object or a list.
  bool Open(char bracket);
  // Whether another member or item follows; takes the comma before it or the closing bracket. Check
  // error() after false.
  bool Another(char closing);
  // Takes a key and the colon after it.
  bool Key(JsonValue& key);
  bool Value(JsonValue& value);
  // Takes blanks; false if something else follows.
  bool End();

  const char* error() const { return error_; }
  size_t column() const { return static_cast<size_t>(at_ - begin_) + 1; }  // From 1, in bytes.

 private:
  void SkipBlanks();
  bool Refuse(const char* error);
  bool Word(std::string_view word);
  bool Text(JsonValue& value);
  bool Escape();
  bool Number(JsonValue& value);
  bool Digits();
  bool Nested(JsonValue& value, char opening, char closing);

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* error_ = nullptr;
  bool first_ = false;  // No member of the open bracket has been read yet.
  int depth_ = 0;
};

}  // namespace protium
