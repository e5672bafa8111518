// SPDX-License-Identifier: Apache-2.0
// Paths below a folder of another host, as they are below a folder of this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// `from` and `to` are absolute, without a slash at the end.
class Moved {
 public:
  Moved(std::filesystem::path from, std::filesystem::path to)
      : from_(from.string()), to_(to.string()) {}

  // The path, if it is `from` or below it; any other text as it is.
  std::string Path(const std::string& path) const;
  // All texts in `json` that are such paths.
  Json Paths(Json json) const;
  // Replaces `from` wherever it occurs in `text`. For a `from` whose name occurs nowhere else.
  std::string Within(std::string text) const;

  // The paths in `json` that are below `from`, relative to it, sorted.
  std::vector<std::string> Below(const Json& json) const;

 private:
  bool IsBelow(const std::string& path) const;

  std::string from_;
  std::string to_;
};

}  // namespace protium
