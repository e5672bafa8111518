// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace protium {

// The 32 bytes of the HMAC (RFC 2104) of `text` with SHA-256.
std::string HmacSha256(std::string_view key, std::string_view text);

}  // namespace protium
