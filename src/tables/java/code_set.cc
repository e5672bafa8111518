// SPDX-License-Identifier: Apache-2.0
#include "java/code_set.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <iterator>
#include <utility>
#include <vector>

namespace protium {
namespace {

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

// The POSIX classes of java.util.regex.Pattern, which contain only ASCII, and its L1.
const Ranges* FindAscii(std::string_view name) {
  static const std::pair<std::string_view, Ranges> kAscii[] = {
      {"ASCII", {{0, 0x7f}}},
      {"Alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"Alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"Blank", {{' ', ' '}, {'\t', '\t'}}},
      {"Cntrl", {{0, 0x1f}, {0x7f, 0x7f}}},
      {"Digit", {{'0', '9'}}},
      {"Graph", {{0x21, 0x7e}}},
      {"Lower", {{'a', 'z'}}},
      {"Print", {{0x20, 0x7e}}},
      {"Punct", {{0x21, 0x2f}, {0x3a, 0x40}, {0x5b, 0x60}, {0x7b, 0x7e}}},
      {"Space", {{' ', ' '}, {'\t', '\r'}}},
      {"Upper", {{'A', 'Z'}}},
      {"XDigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
      {"L1", {{0, 0xff}}},
  };
  for (const auto& [known, ranges] : kAscii) {
    if (known == name) return &ranges;
  }
  return nullptr;
}

UChar32 Code(char32_t point) { return static_cast<UChar32>(point); }

}  // namespace

CodeSet::CodeSet() : set_(uset_openEmpty()) {}

void CodeSet::Add(char32_t first, char32_t last) {
  uset_addRange(set_.get(), Code(first), Code(last));
}

void CodeSet::Add(const CodeSet& other) { uset_addAll(set_.get(), other.set_.get()); }

void CodeSet::KeepOnly(const CodeSet& other) { uset_retainAll(set_.get(), other.set_.get()); }

void CodeSet::Negate() { uset_complement(set_.get()); }

void CodeSet::AddOtherCase(bool beyond_ascii) {
  if (beyond_ascii) {
    // Closing over case may also add strings of several characters, such as ss for ß, which a class
    // cannot match.
    uset_closeOver(set_.get(), USET_CASE_INSENSITIVE);
    uset_removeAllStrings(set_.get());
    return;
  }
  for (char32_t lower = 'a'; lower <= 'z'; ++lower) {
    const char32_t upper = lower - 'a' + 'A';
    if (uset_contains(set_.get(), Code(lower)) || uset_contains(set_.get(), Code(upper))) {
      Add(lower, lower);
      Add(upper, upper);
    }
  }
}

bool CodeSet::AddOfIcu(const std::string& property, const std::string& value) {
  // Names are ASCII, so widening each byte turns them into UTF-16; others are unknown to ICU and
  // refused.
  const std::u16string wide_property(property.begin(), property.end());
  const std::u16string wide_value(value.begin(), value.end());
  const std::unique_ptr<USet, Close> found(uset_openEmpty());
  UErrorCode error = U_ZERO_ERROR;
  uset_applyPropertyAlias(found.get(), wide_property.data(),
                          static_cast<int32_t>(wide_property.size()), wide_value.data(),
                          static_cast<int32_t>(wide_value.size()), &error);
  if (U_FAILURE(error)) return false;
  uset_addAll(set_.get(), found.get());
  return true;
}

bool CodeSet::AddProperty(const std::string& name) {
  if (name == "all") return Add(0, 0x10ffff), true;
  if (const Ranges* const ascii = FindAscii(name)) {
    for (const auto& [first, last] : *ascii) Add(first, last);
    return true;
  }
  if (const size_t equals = name.find('='); equals != std::string::npos) {
    return AddOfIcu(name.substr(0, equals), name.substr(equals + 1));
  }
  if (name.starts_with("Is")) {
    const std::string rest = name.substr(2);
    // \p{IsX}: a general category, a script or a binary property.
    return AddOfIcu("gc", rest) || AddOfIcu("sc", rest) || AddOfIcu(rest, "");
  }
  if (name.starts_with("In")) return AddOfIcu("blk", name.substr(2));
  return name.size() <= 2 && AddOfIcu("gc", name);
}

std::string CodeSet::ToPcre() const {
  const std::unique_ptr<USet, Close> set(uset_clone(set_.get()));
  // Removes surrogates: UTF-8 has none, and PCRE2 rejects them in a pattern.
  uset_removeRange(set.get(), 0xd800, 0xdfff);
  std::string text;
  for (int32_t i = 0; i < uset_getItemCount(set.get()); ++i) {
    UChar32 first = 0, last = 0;
    UErrorCode error = U_ZERO_ERROR;
    uset_getItem(set.get(), i, &first, &last, nullptr, 0, &error);
    fmt::format_to(std::back_inserter(text), "\\x{{{:x}}}", first);
    if (first != last) fmt::format_to(std::back_inserter(text), "-\\x{{{:x}}}", last);
  }
  return text.empty() ? "(?!)" : "[" + text + "]";
}

}  // namespace protium
