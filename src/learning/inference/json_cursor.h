// SPDX-License-Identifier: Apache-2.0
// Reads a JSON text (RFC 8259) value by value from front to end. Copies only strings with escapes,
// one at a time; the first error ends the reading.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inference/json_text.h"

namespace protium {

class JsonCursor {
 public:
  enum class Kind { kList, kObject, kText, kNumber, kFlag, kNull, kNone };

  // The text must outlive the cursor. Skips a byte order mark; a text that is not UTF-8 is an error
  // at once.
  explicit JsonCursor(std::string_view text);

  // The kind of value that begins here. kNone: none does, which is an error.
  Kind Peek();
  // The text from the value that Peek() saw.
  std::string_view rest() const { return text_.substr(at_); }

  // Read the value, which must be of the kind that Peek() returned. None and false: it has an
  // error.
  std::optional<JsonNumber> TakeNumber();
  std::optional<bool> TakeFlag();
  bool TakeNull();
  // Valid until the next text or key is taken.
  std::optional<std::string_view> TakeText();
  // Enters a list or an object, which must then be read to its end. More than 200 levels are an
  // error.
  bool Enter();
  // True: the value of an item or a member follows. False: that was the end, or an error.
  bool NextItem() { return Next(']'); }
  bool NextMember(std::string_view& key);
  // Skips any value.
  bool Pass();
  // Whether nothing follows; otherwise that is an error.
  bool AtEnd();

  bool broken() const { return !why_.empty(); }
  // The error and its position, as a fault of Exit::kInput.
  Status Fault() const;

 private:
  bool Break(std::string_view why);
  void SkipSpaces();
  bool Takes(char c);
  bool TakesWord(std::string_view word);
  bool Next(char close);
  bool TakeEscape();
  std::optional<char32_t> TakeHex();

  std::string_view text_;
  size_t at_ = 0;
  int open_ = 0;          // Lists and objects around this position.
  bool entered_ = false;  // No item of the innermost one has been read.
  std::string unescaped_;
  std::string_view why_;  // The error; empty: none.
};

}  // namespace protium
