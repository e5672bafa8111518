// SPDX-License-Identifier: Apache-2.0
// What a message of somebody else is about, by the words in it.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace protium {

// Whether any of `words` stands in the text, in this spelling.
inline bool Mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](std::string_view each) { return text.find(each) != text.npos; });
}

}  // namespace protium
