// SPDX-License-Identifier: Apache-2.0
// Sets of code points: what a class of a regular expression matches. ICU does the set operations
// and knows the properties, of the Unicode version that it was built with.
#pragma once

#include <unicode/uset.h>

#include <memory>
#include <string>
#include <string_view>

namespace protium {

// Movable, not copyable.
class CodeSet {
 public:
  CodeSet();

  void Add(char32_t first, char32_t last);
  void Add(const CodeSet& other);
  // Intersects this set with `other`.
  void KeepOnly(const CodeSet& other);
  void Negate();
  // Adds the other case of every letter in the set: of ASCII letters only, or of all letters.
  void AddOtherCase(bool beyond_ascii);

  // Adds what Java's \p{name} matches; false if the name is unknown. POSIX names match ASCII only,
  // as in java.util.regex.Pattern without UNICODE_CHARACTER_CLASS.
  bool AddProperty(const std::string& name);

  // Writes the set as a class for PCRE2: [\x{61}-\x{7a}]. The empty set becomes (?!), which never
  // matches.
  std::string ToPcre() const;

 private:
  struct Close {
    void operator()(USet* set) const { uset_close(set); }
  };
  bool AddOfIcu(const std::string& property, const std::string& value);
  std::unique_ptr<USet, Close> set_;
};

}  // namespace protium
