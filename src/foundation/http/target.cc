// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <algorithm>
#include <utility>

#include "base/percent.h"

namespace protium {
namespace {

// In forms "+" is a space.
std::optional<std::string> FormDecoded(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return PercentDecoded(spaced);
}

// Returns the text before the first `end`, and removes both from `text`.
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
  auto path = PercentDecoded(TakeUntil('?', target));
  if (!path) return std::nullopt;
  read.path = std::move(*path);
  while (!target.empty()) {
    std::string_view pair = TakeUntil('&', target);
    if (pair.empty()) continue;
    auto name = FormDecoded(TakeUntil('=', pair)), value = FormDecoded(pair);
    if (!name || !value) return std::nullopt;
    read.parameters.emplace(std::move(*name), std::move(*value));
  }
  return read;
}

}  // namespace protium
