// SPDX-License-Identifier: Apache-2.0
// Percent-encoding, as URLs use it (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// Encodes all but letters, digits and the characters of `plain` as "%2F" and the like.
std::string PercentEncoded(std::string_view text, std::string_view plain);

// Returns nullopt if a "%" is not followed by two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace protium
