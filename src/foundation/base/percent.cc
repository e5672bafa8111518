// SPDX-License-Identifier: Apache-2.0
#include "base/percent.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace protium {

std::string PercentEncoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsLetter(c) || IsDigit(c) || plain.find(c) != plain.npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return encoded;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    unsigned value = 0;
    const char* const end = text.data() + std::min(text.size(), i + 3);
    const auto read = std::from_chars(text.data() + std::min(i + 1, text.size()), end, value, 16);
    if (i + 2 >= text.size() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    out.push_back(static_cast<char>(value));
    i += 2;
  }
  return out;
}

}  // namespace protium
