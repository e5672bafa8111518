// SPDX-License-Identifier: Apache-2.0
// Random names that people can read to each other.
#pragma once

#include <cstddef>
#include <string>

namespace protium {

// Digits and lower-case letters, without those that look alike: 0 and o, 1 and i and l. At most 64.
std::string RandomLetters(size_t count);

}  // namespace protium
