// SPDX-License-Identifier: Apache-2.0
// The character sets of Spark's encode() and decode(): UTF-8, US-ASCII, ISO-8859-1, UTF-16,
// UTF-16BE, UTF-16LE and UTF-32, in any case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

bool IsCharset(std::string_view name);

// Encodes the text in the character set; nothing if the set lacks one of its characters.
std::optional<std::string> EncodeAs(std::string_view charset, std::string_view text);

// Decodes bytes of the character set; nothing if they are malformed.
std::optional<std::string> DecodeAs(std::string_view charset, std::string_view bytes);

}  // namespace protium
