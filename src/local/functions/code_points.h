// SPDX-License-Identifier: Apache-2.0
// UTF-8, one code point after the other. Except for IsUtf8, text must be well formed, which DuckDB
// guarantees for VARCHAR.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

// Whether the byte goes on with a code point (10xxxxxx).
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The number of bytes of the code point that begins with `first`.
inline size_t CodeLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

inline int64_t CountCodePoints(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

// The byte at which code point number `index` begins, counted from 0; the end if there are fewer.
inline size_t FindOffset(std::string_view text, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += CodeLength(text[at]);
  return at < text.size() ? at : text.size();
}

void AppendUtf8(char32_t point, std::string& text);
std::string ToUtf8(char32_t point);
// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates.
bool IsUtf8(std::string_view bytes);
std::u32string ToCodePoints(std::string_view text);

}  // namespace protium
