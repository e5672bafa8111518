// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// A step of a path such as $.a[0].*: into the elements of an array, or into a field.
struct JsonStep {
  enum class Kind { kSubscript, kKey, kWildcard, kIndex, kNamed };
  Kind kind;
  int64_t index = 0;
  std::string name = {};
  bool operator==(Kind other) const { return kind == other; }
};

// Reads a path as Spark's JsonPathParser does; nothing if it is none.
std::optional<std::vector<JsonStep>> ReadJsonPath(std::string_view path);

// get_json_object(): what the path leads to in the JSON text, texts without their quotes. Nothing
// where it leads nowhere or the text is no JSON as far as it has to be read.
std::optional<std::string> FollowJsonPath(std::string_view json, const std::vector<JsonStep>& path);

}  // namespace protium
