// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

// Text that others wrote (cells, names of columns, logs) as it may go to a terminal. Control
// characters but line breaks and tabs, characters that turn the direction of writing, and bytes
// that are no UTF-8 become their escapes, "\u001b" or "\xff". Of a line of more than `most_bytes`,
// the beginning, and how much more there was.
std::string Printable(std::string_view text, size_t most_bytes = SIZE_MAX);

}  // namespace protium
