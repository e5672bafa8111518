// SPDX-License-Identifier: Apache-2.0
#include "java/code_points.h"

#include <unicode/utf8.h>

namespace protium {

std::string ToUtf8(char32_t point) {
  std::string text;
  AppendUtf8(point, text);
  return text;
}

std::u32string ToCodePoints(std::string_view text) {
  std::u32string points;
  for (size_t at = 0; at < text.size();) {
    const size_t length = CodeLength(text[at]);
    const auto first = static_cast<unsigned char>(text[at]);
    // The first byte of a sequence of n bytes begins with n ones and a zero.
    char32_t point = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length && at + i < text.size(); ++i) {
      point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
    }
    points += point;
    at += length;
  }
  return points;
}

bool IsUtf8(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto size = static_cast<int32_t>(bytes.size());
  for (int32_t at = 0; at < size;) {
    // ICU sets `point` below 0 for anything that is not well formed.
    UChar32 point = 0;
    U8_NEXT(data, at, size, point);
    if (point < 0) return false;
  }
  return true;
}

}  // namespace protium
