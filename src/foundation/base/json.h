// SPDX-License-Identifier: Apache-2.0
// JSON that retains the order of its keys, so that files and digests are the same every time. Use
// ParseJson() alone for text from outside: the library itself throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

using Json = nlohmann::ordered_json;

// Parses one JSON value. Nesting beyond 200 levels and trailing text are errors; never throws. If
// an object has a key twice, the last value counts. Takes time linear in the text.
Result<Json> ParseJson(std::string_view text);

// Makes an object of these members, whose keys differ. Use it for many members: object[key]
// compares a new key with all existing ones.
Json ObjectOf(std::vector<std::pair<std::string, Json>> members);

// The text under `key` of an object; empty if there is none or it is not a text.
const std::string& TextAt(const Json& json, std::string_view key);
// The number under `key` of an object; `otherwise` if there is none or it is not a number, or, for
// WholeAt(), not a whole number.
int64_t WholeAt(const Json& json, std::string_view key, int64_t otherwise = 0);
double NumberAt(const Json& json, std::string_view key, double otherwise = 0);

// Renders without spaces or line breaks; text that is not UTF-8 gets replacement characters.
std::string Dump(const Json& value);

// Renders with two spaces of indentation, for files that people read.
std::string Pretty(const Json& value);

}  // namespace protium
