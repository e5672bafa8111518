// SPDX-License-Identifier: Apache-2.0
// The target of a request: "/runs/a%20b?points=20", decoded (RFC 9110, RFC 3986).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

struct HttpTarget {
  std::string path;  // "/runs/a b"
  std::multimap<std::string, std::string> parameters;
};

// Returns nullopt if it does not begin with "/", or has a "%" without two hexadecimal digits. As in
// forms, "+" is a space in parameters.
std::optional<HttpTarget> ReadTarget(std::string_view target);

}  // namespace protium
