// SPDX-License-Identifier: Apache-2.0
// Makes text from others safe to print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

// Makes text from elsewhere (cells, column names, logs) safe to print on a terminal, where a cell
// could otherwise move the cursor or forge a message. Control characters except line breaks and
// tabs, characters that change the writing direction, and bytes that are not UTF-8 become escapes
// such as "\u001b" or "\xff". A line that would exceed `most_bytes` is cut, with a note of how many
// bytes are missing.
std::string Printable(std::string_view text, size_t most_bytes = SIZE_MAX);

}  // namespace protium
