// SPDX-License-Identifier: Apache-2.0
#include "java/base64.h"

#include <cstdint>

namespace protium {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t kBytesOfLine = 57;  // Encoded as 76 characters.

}  // namespace

std::string WriteBase64(std::string_view bytes, bool lines) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    if (lines && i > 0 && i % kBytesOfLine == 0) text += "\r\n";
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kLetters[(group >> (18 - 6 * j)) & 63];
    }
  }
  return text;
}

std::optional<std::string> ReadBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t group = 0;
    for (size_t j = i; j < i + 4; ++j) {
      const bool pad = j >= text.size() - padding;
      const size_t digit = pad ? 0 : kLetters.find(text[j]);
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace protium
