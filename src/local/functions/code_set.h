// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unicode/uset.h>

#include <memory>
#include <string>
#include <string_view>

namespace protium {

// A set of code points.
class CodeSet {
 public:
  CodeSet();

  void Add(char32_t first, char32_t last);
  void Add(const CodeSet& other);
  void KeepOnly(const CodeSet& other);
  void Negate();
  // Adds the other case of what it holds: of ASCII letters, or of all.
  void AddOtherCase(bool beyond_ascii);

  // What a regular expression of Java's calls \p{name}; false when the name is unknown.
  bool AddProperty(const std::string& name);

  // As a class of PCRE2's: [\x{61}-\x{7a}].
  std::string ToPcre() const;

 private:
  struct Close {
    void operator()(USet* set) const { uset_close(set); }
  };
  bool AddOfIcu(const std::string& property, const std::string& value);
  std::unique_ptr<USet, Close> set_;
};

}  // namespace protium
