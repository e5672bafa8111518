// SPDX-License-Identifier: Apache-2.0
// Text functions without a locale: their results are the same wherever a job runs.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

// For ASCII only, like all functions below: other characters belong to no class.
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool IsNameCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
inline char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

// Turns A-Z into a-z; everything else stays. Names of columns and functions are compared in this
// form.
std::string Lower(std::string_view text);
// Turns a-z into A-Z.
std::string Upper(std::string_view text);

// Removes these characters on either side.
std::string_view Trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// The text between two quotes, with each quote in it doubled, as SQL writes names and strings.
std::string InQuotes(std::string_view text, char quote);

// "1 worker", "2 workers".
std::string Counted(int64_t count, std::string_view noun);
// "s" unless `count` is 1.
inline const char* PluralOf(int64_t count) { return count == 1 ? "" : "s"; }

// Parses the whole text as a decimal number; nullopt if it is anything else, or too large for T.
template <class T>
std::optional<T> AllAsNumber(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Replaces each `from`, which is not empty, with `to`.
std::string Replaced(std::string_view text, std::string_view from, std::string_view to);

// Two lower-case hexadecimal digits for each byte.
std::string Hex(std::string_view bytes);

}  // namespace protium
