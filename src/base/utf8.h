// SPDX-License-Identifier: Apache-2.0
// Characters as UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string>

namespace protium {

// Whether the byte goes on with a code point (10xxxxxx).
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The number of bytes of the code point that begins with `first`.
inline size_t CodeLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Appends the code point's one to four bytes; it must not be a surrogate.
void AppendUtf8(char32_t point, std::string& text);

}  // namespace protium
