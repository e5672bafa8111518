// SPDX-License-Identifier: Apache-2.0
// Finds how deep a TOML text nests, before anything reads it by recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace protium {

// Returns the position where a statement of the text first goes deeper than `most` levels: each
// part of a dotted key and each list item is a level. None if none does. Takes any text, TOML or
// not.
std::optional<size_t> FindTooDeep(std::string_view text, int most);

}  // namespace protium
