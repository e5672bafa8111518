// SPDX-License-Identifier: Apache-2.0
// The URL of a service that is asked over HTTP, in parts.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

struct WebUrl {
  std::string server;  // "https://host:8081"
  std::string user;    // Empty: nobody is named.
  std::string path;    // What all paths there begin with, without a slash at its end; or empty.
};

// Reads "https://user@host:8081/path"; the user may be percent-encoded. Refuses (kUsage) a URL that
// holds a password, without repeating any of it, and what is no such URL.
Result<WebUrl> ReadWebUrl(std::string_view text);

}  // namespace protium
