// SPDX-License-Identifier: Apache-2.0
#include "java/charsets.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "java/code_points.h"

namespace protium {
namespace {

// A set whose characters are numbers of `width` bytes; if one byte, up to `most`.
struct Charset {
  std::string_view name;
  int width;
  char32_t most;
  bool little;  // The lowest byte comes first.
  bool marked;  // Java writes a byte order mark, and reads one.
};

constexpr Charset kCharsets[] = {
    {"us-ascii", 1, 0x7f, false, false},    {"iso-8859-1", 1, 0xff, false, false},
    {"utf-16", 2, 0x10ffff, false, true},   {"utf-16be", 2, 0x10ffff, false, false},
    {"utf-16le", 2, 0x10ffff, true, false}, {"utf-32", 4, 0x10ffff, false, true},
};
constexpr char32_t kMark = 0xfeff;

const Charset* Find(std::string_view name) {
  const std::string lower = Lower(std::string(name));
  const auto* const found = std::ranges::find(kCharsets, lower, &Charset::name);
  return found == std::end(kCharsets) ? nullptr : found;
}

bool IsUtf8Name(std::string_view name) { return Lower(std::string(name)) == "utf-8"; }

void Append(const Charset& set, char32_t unit, std::string& bytes) {
  for (int i = 0; i < set.width; ++i) {
    const int place = set.little ? i : set.width - 1 - i;
    bytes += static_cast<char>(static_cast<unsigned char>(unit >> (8 * place)));
  }
}

char32_t UnitAt(const Charset& set, std::string_view bytes, size_t at) {
  char32_t unit = 0;
  for (int i = 0; i < set.width; ++i) {
    const int place = set.little ? set.width - 1 - i : i;
    unit = unit << 8 | static_cast<unsigned char>(bytes[at + static_cast<size_t>(place)]);
  }
  return unit;
}

bool IsHigh(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLow(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// If the bytes begin with a byte order mark, they are in the order that it shows.
Charset InOrder(Charset set, std::string_view& bytes) {
  const auto width = static_cast<size_t>(set.width);
  if (!set.marked || bytes.size() < width) return set;
  Charset other = set;
  other.little = true;
  const bool little = UnitAt(other, bytes, 0) == kMark;
  if (little || UnitAt(set, bytes, 0) == kMark) bytes.remove_prefix(width);
  return little ? other : set;
}

}  // namespace

bool IsCharset(std::string_view name) { return IsUtf8Name(name) || Find(name) != nullptr; }

std::optional<std::string> EncodeAs(std::string_view charset, std::string_view text) {
  if (IsUtf8Name(charset)) return std::string(text);
  const Charset& set = *Find(charset);
  std::string bytes;
  if (set.marked && set.width == 2 && !text.empty()) Append(set, kMark, bytes);
  for (const char32_t point : ToCodePoints(text)) {
    if (point > set.most) return std::nullopt;
    if (set.width != 2 || point < 0x10000) {
      Append(set, point, bytes);
      continue;
    }
    Append(set, 0xd800 + ((point - 0x10000) >> 10), bytes);
    Append(set, 0xdc00 + ((point - 0x10000) & 0x3ff), bytes);
  }
  return bytes;
}

std::optional<std::string> DecodeAs(std::string_view charset, std::string_view bytes) {
  if (IsUtf8Name(charset)) {
    return IsUtf8(bytes) ? std::optional(std::string(bytes)) : std::nullopt;
  }
  const Charset set = InOrder(*Find(charset), bytes);
  const auto width = static_cast<size_t>(set.width);
  if (bytes.size() % width != 0) return std::nullopt;
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += width) {
    char32_t point = UnitAt(set, bytes, at);
    if (set.width == 2 && IsHigh(point) && at + 2 < bytes.size()) {
      const char32_t low = UnitAt(set, bytes, at + 2);
      if (!IsLow(low)) return std::nullopt;
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      at += 2;
    }
    if (point > set.most || IsHigh(point) || IsLow(point)) return std::nullopt;
    AppendUtf8(point, text);
  }
  return text;
}

}  // namespace protium
