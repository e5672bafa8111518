// SPDX-License-Identifier: Apache-2.0
// Names of those operations of pickles that are not read here, for the message that refuses them.
#pragma once

#include <cstdint>
#include <string_view>

namespace protium {

// As Lib/pickletools.py of CPython has it: "NEWOBJ"; "of no name" for a byte that is no operation,
// or one that is read.
std::string_view NameOfOperation(uint8_t operation);

}  // namespace protium
