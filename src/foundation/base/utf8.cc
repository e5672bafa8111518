// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace protium {

std::string_view CutText(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  // A code point begins at the first byte that is cut off, or before it.
  while (most > 0 && IsContinuation(text[most])) --most;
  return text.substr(0, most);
}

std::string Shortened(std::string_view text, size_t most) {
  return std::string(CutText(text, most)) + (text.size() > most ? "..." : "");
}

void AppendUtf8(char32_t point, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
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

}  // namespace protium
