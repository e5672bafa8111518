// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// A step of a path such as $.a[0].*: to the elements of an array, or to a field.
struct JsonStep {
  enum class Kind { kSubscript, kKey, kWildcard, kIndex, kNamed };
  Kind kind;
  int64_t index = 0;
  std::string name = {};
  bool operator==(Kind other) const { return kind == other; }
};

// Reads a path as Spark's JsonPathParser does; nothing if it is not a valid path.
std::optional<std::vector<JsonStep>> ReadJsonPath(std::string_view path);

// get_json_object(): returns what the path leads to in the JSON text; texts without their quotes.
// Returns nothing if it leads nowhere or the part of the text that must be read is not JSON.
std::optional<std::string> FollowJsonPath(std::string_view json, const std::vector<JsonStep>& path);

}  // namespace protium
