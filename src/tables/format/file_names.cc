// SPDX-License-Identifier: Apache-2.0
#include "format/file_names.h"

#include <fnmatch.h>

#include <algorithm>

namespace protium {

bool IsHiddenName(std::string_view name) {
  return name.starts_with('.') || (name.starts_with('_') && name.find('=') == name.npos);
}

bool IsLikeOneOf(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& each) {
    return ::fnmatch(each.c_str(), name.c_str(), FNM_PERIOD) == 0;
  });
}

}  // namespace protium
