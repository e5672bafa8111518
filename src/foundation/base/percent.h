// SPDX-License-Identifier: Apache-2.0
// Percent-encoding, as addresses have it (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// None for a "%" without two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace protium
