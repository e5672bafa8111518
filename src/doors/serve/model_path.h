// SPDX-License-Identifier: Apache-2.0
// Paths of models that are served by name.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace protium {

// The parts of NAME[/versions/VERSION][/ACTION].
struct ModelPath {
  std::string name, version, action;
};

inline ModelPath SplitModelPath(std::string_view path) {
  const auto take = [&path] {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string part(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    return part;
  };
  ModelPath parts{.name = take()};
  if (path.starts_with("versions/")) {
    take();
    parts.version = take();
  }
  parts.action = path;
  return parts;
}

}  // namespace protium
