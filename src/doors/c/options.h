// SPDX-License-Identifier: Apache-2.0
// Texts from C as what the house works with.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// NULL as an empty text.
inline std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

// A JSON object; an empty text is {}.
Result<Json> ReadOptions(const std::string& text);

// A JSON list of names; `what` says in a message which one.
Result<std::vector<std::string>> ReadNames(const std::string& text, const std::string& what);

}  // namespace protium
