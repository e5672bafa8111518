// SPDX-License-Identifier: Apache-2.0
// JSON that keeps the order of its keys, so that files and digests come out the same every time.
// Text that is not ours is read by ParseJson() alone: the library itself throws.
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

// Parses one JSON value. Nesting beyond 200 levels and trailing text are errors; never throws. Of a
// key given twice in an object the last value counts. Takes a time that grows with the text alone.
Result<Json> ParseJson(std::string_view text);

// An object of these members, whose keys differ. Where they may be many: to add one by object[key]
// looks at all that are there.
Json ObjectOf(std::vector<std::pair<std::string, Json>> members);

// The text under `key` of an object; empty where there is none, or something else is there.
const std::string& TextAt(const Json& json, std::string_view key);
// The number under `key` of an object; `otherwise` where there is none, or something else is there.
// Of WholeAt() a fraction is something else.
int64_t WholeAt(const Json& json, std::string_view key, int64_t otherwise = 0);
double NumberAt(const Json& json, std::string_view key, double otherwise = 0);

// Renders without spaces or line breaks; text that is not UTF-8 gets replacement characters.
std::string Dump(const Json& value);

// Renders with two spaces of indentation, for files that people read.
std::string Pretty(const Json& value);

}  // namespace protium
