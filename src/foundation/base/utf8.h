// SPDX-License-Identifier: Apache-2.0
// Characters as UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace protium {

// Whether the byte continues a code point (10xxxxxx).
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The number of bytes of the code point that begins with `first`.
inline size_t CodeLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The text up to `most` bytes, without an incomplete code point at the end.
std::string_view CutText(std::string_view text, size_t most);
// The same for messages, with "..." if something was cut off.
std::string Shortened(std::string_view text, size_t most);

// Appends the code point's one to four bytes; it must not be a surrogate.
void AppendUtf8(char32_t point, std::string& text);

// The code points of a text that is valid; of any other some, without a look beyond its end.
std::u32string ToCodePoints(std::string_view text);

}  // namespace protium
