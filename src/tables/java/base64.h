// SPDX-License-Identifier: Apache-2.0
// Base 64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// With `lines`, breaks the result into lines of 76 characters joined by CRLF (RFC 2045), as Java's
// MIME encoder does, which Spark's base64() uses.
std::string WriteBase64(std::string_view bytes, bool lines);

// Returns nothing if the text is not whole groups of four, padded at the end.
std::optional<std::string> ReadBase64(std::string_view text);

}  // namespace protium
