// SPDX-License-Identifier: Apache-2.0
// Converts texts from C to our own types.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Returns NULL as an empty text.
inline std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

// Parses a JSON object; an empty text is {}.
Result<Json> ReadOptions(const std::string& text);

// Parses a JSON list of names; `what` names it in messages.
Result<std::vector<std::string>> ReadNames(const std::string& text, const std::string& what);

}  // namespace protium
