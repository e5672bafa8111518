// SPDX-License-Identifier: Apache-2.0
// Letters without a locale: names are compared alike wherever a job runs.
#pragma once

#include <string>
#include <string_view>

namespace protium {

// With a-z for A-Z; everything else stays. Names of columns and functions are compared so, in every
// locale.
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

}  // namespace protium
