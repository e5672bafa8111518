// SPDX-License-Identifier: Apache-2.0
#include "protium/field.h"

#include <fmt/format.h>

namespace protium {

bool InRange(const Field& field, double value) {
  return (!field.at_least || value >= *field.at_least) && (!field.above || value > *field.above) &&
         (!field.below || value < *field.below) && (!field.at_most || value <= *field.at_most);
}

std::string RangeText(const Field& field) {
  std::string text;
  const auto add = [&](const char* words, const std::optional<double>& limit) {
    if (limit) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", words, *limit);
  };
  add("at least", field.at_least);
  add("above", field.above);
  add("below", field.below);
  add("at most", field.at_most);
  const std::string items = field.items;
  if (text.empty() || items.empty()) return text;
  return items + (field.at_least ? " of " : " ") + text;
}

}  // namespace protium
