// SPDX-License-Identifier: Apache-2.0
// Names of the pickle operations that are not supported, for the message that refuses them.
#pragma once

#include <cstdint>
#include <string_view>

namespace protium {

// Returns the name as in Lib/pickletools.py of CPython: "NEWOBJ"; "of no name" for a byte that is
// no operation, or one that is supported.
std::string_view NameOfOperation(uint8_t operation);

}  // namespace protium
