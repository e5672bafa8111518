// SPDX-License-Identifier: Apache-2.0
#include "run/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace protium {

namespace {

// Decodes UTF-8 here, strictly (RFC 3629): overlong forms, surrogates and codes beyond U+10FFFF are
// bytes that are not text, since a terminal may decode them more generously.

struct Character {
  size_t bytes = 1;
  uint32_t code = 0;
  bool valid = false;
};

// The length of a character by its first byte; 0 for a byte that no character begins with. 0xC0 and
// 0xC1 would begin overlong forms only.
size_t CharacterBytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// The first character of `text`, which must not be empty; a single invalid byte if there is none.
Character DecodeFirst(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t bytes = CharacterBytes(first);
  if (bytes == 0 || bytes > text.size()) return {};
  uint32_t code = bytes == 1 ? first : first & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[bytes] || surrogate || code > 0x10FFFF) return {};
  return {bytes, code, true};
}

// Whether a character acts instead of showing something: C0 and C1 controls, and the marks,
// embeddings, overrides and isolates of the bidirectional algorithm (UAX #9), which can make text
// read differently from what it is; U+2028 and U+2029 break lines.
bool IsControl(uint32_t code) {
  const auto within = [code](uint32_t low, uint32_t high) { return code >= low && code <= high; };
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

void AddLine(std::string_view line, size_t most_bytes, std::string& out) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const size_t begin = out.size();
  while (!line.empty()) {
    if (out.size() - begin >= most_bytes) {
      out += fmt::format("... ({} bytes more)", line.size());
      return;
    }
    const Character next = DecodeFirst(line);
    if (next.valid && !IsControl(next.code)) {
      out.append(line.substr(0, next.bytes));
    } else if (next.valid) {
      out += fmt::format("\\u{:04x}", next.code);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(line[0]));
    }
    line.remove_prefix(next.bytes);
  }
}

}  // namespace

std::string Printable(std::string_view text, size_t most_bytes) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    AddLine(text.substr(0, end), most_bytes, out);
    if (end < text.size()) out.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace protium
