// SPDX-License-Identifier: Apache-2.0
// Percent-encoding, as addresses have it (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// With "%2F" and the like for all but letters, digits and the characters of `plain`.
std::string PercentEncoded(std::string_view text, std::string_view plain);

// None for a "%" without two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace protium
