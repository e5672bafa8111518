// SPDX-License-Identifier: Apache-2.0
// Finds what a misspelt name was meant to be, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Returns up to three of `known` that are closest to `word` by edit distance (a difference in case
// counts half), at most 2 edits or a third of the word away; ties stay in the order of `known`.
std::vector<std::string> Nearest(std::string_view word, std::span<const std::string> known);

// Returns `did you mean "a" or "b"?`, or `one of: a, b, c` if nothing is near and fewer than 13 are
// known, else nothing. A list that is too long for a line ends in `and 2 more`.
std::string Suggest(std::string_view word, std::span<const std::string> known);

}  // namespace protium
