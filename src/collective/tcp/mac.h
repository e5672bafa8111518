// SPDX-License-Identifier: Apache-2.0
// How knowledge of a gang's key is shown.
#pragma once

#include <string>
#include <string_view>

namespace protium {

inline constexpr size_t kMacBytes = 32;

// HMAC-SHA256 of `purpose` and `text`, one after the other.
std::string ComputeMac(const std::string& key, std::string_view purpose, std::string_view text);

// Takes the same time wherever the two differ.
bool SameMac(std::string_view a, std::string_view b);

}  // namespace protium
