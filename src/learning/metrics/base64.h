// SPDX-License-Identifier: Apache-2.0
// Bytes of states of metrics as text.
#pragma once

#include <optional>
#include <string>

namespace protium {

std::string ToBase64(const std::string& bytes);
// Returns nullopt for what ToBase64() does not write.
std::optional<std::string> FromBase64(const std::string& text);

}  // namespace protium
