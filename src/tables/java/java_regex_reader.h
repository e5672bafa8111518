// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a Java regular expression whose meaning does not depend on their surroundings:
// classes, escapes, names, counts and flags, as java.util.regex.Pattern defines them.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "java/code_set.h"

namespace protium {

// The flags that (?imsu) switches on until the end of the group.
struct RegexFlags {
  bool caseless = false;   // i
  bool unicode = false;    // u: case folding beyond ASCII
  bool multiline = false;  // m
  bool dotall = false;     // s
};

// A base class for ToPcre's translation: a cursor over the pattern's code points. What Java rejects
// becomes Bad(); what PCRE2 cannot express or would interpret differently becomes Unknown(). Both
// are Faults with exit kUsage.
class RegexReader {
 protected:
  explicit RegexReader(std::string_view java);

  bool AtEnd() const { return at_ >= points_.size(); }
  // The code point `ahead` positions further on; 0 beyond the end.
  char32_t Peek(size_t ahead = 0) const {
    return at_ + ahead < points_.size() ? points_[at_ + ahead] : 0;
  }
  char32_t Take() { return points_[at_++]; }
  void Skip(size_t count) { at_ += count; }
  // Takes `text` if it comes next.
  bool TakeText(std::string_view text);
  static bool IsDigit(char32_t point) { return point >= '0' && point <= '9'; }

  // Each continues after the character that opened the part, which has been taken.
  Result<CodeSet> ReadClass();       // [
  Result<CodeSet> ReadEscapedSet();  // backslash
  Result<std::string> ReadName();    // <
  Result<std::string> ReadCount();   // { gives {2,3}
  Status ReadFlags();                // (? up to ) or :

  // A set of one code point and, depending on the flags, its other cases.
  CodeSet Single(char32_t point) const { return Range(point, point); }

  Status Bad(const std::string& why) const;
  // Makes the fault for what Java has and this translation does not support.
  Status Unknown(const std::string& what) const;

  RegexFlags flags_;

 private:
  CodeSet Range(char32_t first, char32_t last) const;
  Result<CodeSet> ReadItems();
  Result<CodeSet> ReadItem();
  Result<CodeSet> ReadIntersected();
  Result<CodeSet> ReadProperty();
  Result<char32_t> ReadEscapedPoint();
  Result<char32_t> ReadHex(size_t digits);
  char32_t ReadOctal();

  std::string_view java_;
  std::u32string points_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace protium
