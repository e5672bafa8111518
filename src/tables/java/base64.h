// SPDX-License-Identifier: Apache-2.0
// Base 64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// With `lines` in lines of 76 characters with CRLF between them, as Java's MIME encoder, which
// Spark's base64() uses, writes it (RFC 2045).
std::string WriteBase64(std::string_view bytes, bool lines);

// Nothing if the text holds anything but whole groups of four, padded at its end.
std::optional<std::string> ReadBase64(std::string_view text);

}  // namespace protium
