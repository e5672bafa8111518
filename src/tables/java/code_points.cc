// SPDX-License-Identifier: Apache-2.0
#include "java/code_points.h"

#include <unicode/utf8.h>

namespace protium {

std::string ToUtf8(char32_t point) {
  std::string text;
  AppendUtf8(point, text);
  return text;
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
