// SPDX-License-Identifier: Apache-2.0
// What a misspelt name was meant to be, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Gives up to three of `known` that are closest to `word` by edit distance (case counts half), at
// most 2 edits or a third of the word away; ties keep the order of `known`.
std::vector<std::string> Nearest(std::string_view word, std::span<const std::string> known);

// Says `did you mean "a" or "b"?`, or `one of: a, b, c` when nothing is near and fewer than 13 are
// known, else nothing.
std::string Suggest(std::string_view word, std::span<const std::string> known);

}  // namespace protium
