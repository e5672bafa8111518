// SPDX-License-Identifier: Apache-2.0
// A text of JSON (RFC 8259), read value by value from its front to its end. It is not copied, but
// for texts in it that have escapes, one at a time; the first mistake ends the reading.
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

  // The text outlives this. A byte order mark before it is passed over; one that is not UTF-8 has
  // its mistake at once.
  explicit JsonCursor(std::string_view text);

  // What begins here. kNone: no value does, which is a mistake.
  Kind Peek();
  // From the value that Peek() has seen.
  std::string_view rest() const { return text_.substr(at_); }

  // The value, of the kind that Peek() gave. None and false: it has a mistake.
  std::optional<JsonNumber> TakeNumber();
  std::optional<bool> TakeFlag();
  bool TakeNull();
  // Good until the next text or key is taken.
  std::optional<std::string_view> TakeText();
  // Into a list or an object, which then are read to their end. Beyond 200 levels a mistake.
  bool Enter();
  // True: the value of an item or a member comes. False: that was the end, or a mistake.
  bool NextItem() { return Next(']'); }
  bool NextMember(std::string_view& key);
  // Past any value.
  bool Pass();
  // That nothing follows; else it is a mistake.
  bool AtEnd();

  bool broken() const { return !why_.empty(); }
  // Of Exit::kInput: what the mistake is, and where.
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
  int open_ = 0;          // Lists and objects around this place.
  bool entered_ = false;  // No item was read of the innermost one.
  std::string unescaped_;
  std::string_view why_;  // The mistake; empty: none.
};

}  // namespace protium
