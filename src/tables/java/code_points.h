// SPDX-License-Identifier: Apache-2.0
// UTF-8 (RFC 3629), one code point after the other. Except for IsUtf8, text must be well formed,
// which DuckDB guarantees for VARCHAR. Spark's functions count in code points, so ours do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace protium {

inline int64_t CountCodePoints(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

// The byte at which code point number `index`, counted from 0, begins; the end if there are fewer.
inline size_t FindOffset(std::string_view text, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += CodeLength(text[at]);
  return at < text.size() ? at : text.size();
}

std::string ToUtf8(char32_t point);
// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates.
bool IsUtf8(std::string_view bytes);

}  // namespace protium
