// SPDX-License-Identifier: Apache-2.0
// Checks addresses that come from others before our pages link to them.
#pragma once

#include <algorithm>
#include <string_view>

namespace protium {

// Whether it is http://... or https://..., short, and made of characters that a URL may contain
// unescaped: no spaces, quotes, angle brackets or control characters, so that it is safe wherever
// it is shown. Nor an "@", because a password may precede it.
inline bool IsWebAddress(std::string_view text) {
  constexpr size_t kLongest = 300;
  constexpr std::string_view kMarks = "-._~:/?#[]!$&()*+,;=%";
  const size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || text.size() <= scheme || text.size() > kLongest) return false;
  if (text[scheme] == '/') return false;
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

}  // namespace protium
