// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <algorithm>
#include <charconv>

namespace protium {
namespace {

// Two hexadecimal digits as a byte; -1 for anything else.
int ByteOf(std::string_view digits) {
  unsigned value = 0;
  if (digits.size() != 2) return -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, value, 16);
  return error == std::errc() && end == digits.data() + 2 ? int(value) : -1;
}

bool Decode(std::string_view text, bool form, std::string& decoded) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += form && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int byte = ByteOf(text.substr(i + 1, 2));
    if (byte < 0) return false;
    decoded += char(byte);
    i += 2;
  }
  return true;
}

// What stands before the first `end`, which is taken off `text` with it.
std::string_view TakeUntil(char end, std::string_view& text) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

}  // namespace

std::optional<HttpTarget> ReadTarget(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  HttpTarget read;
  if (!Decode(TakeUntil('?', target), false, read.path)) return std::nullopt;
  while (!target.empty()) {
    std::string_view pair = TakeUntil('&', target);
    if (pair.empty()) continue;
    std::string name, value;
    if (!Decode(TakeUntil('=', pair), true, name) || !Decode(pair, true, value)) {
      return std::nullopt;
    }
    read.parameters.emplace(std::move(name), std::move(value));
  }
  return read;
}

}  // namespace protium
