// SPDX-License-Identifier: Apache-2.0
// How deep a TOML text nests, told before anything reads it by recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace protium {

// Where one statement of the text first goes deeper than `most` levels: each part of a dotted key
// is one, and each item of a list. None if none does. Takes any text, TOML or not.
std::optional<size_t> FindTooDeep(std::string_view text, int most);

}  // namespace protium
