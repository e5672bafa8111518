// SPDX-License-Identifier: Apache-2.0
// How a rank shows that it knows the gang's key.
#pragma once

#include <string>
#include <string_view>

namespace protium {

inline constexpr size_t kMacBytes = 32;

// Returns the HMAC-SHA256 (RFC 2104) of `purpose` followed by `text`. Each use has its own purpose,
// so that a MAC of one kind cannot be passed off as another.
std::string ComputeMac(const std::string& key, std::string_view purpose, std::string_view text);

// Compares in a time that does not depend on where the two differ: otherwise an attacker could find
// a MAC byte by byte.
bool SameMac(std::string_view a, std::string_view b);

}  // namespace protium
