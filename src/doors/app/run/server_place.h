// SPDX-License-Identifier: Apache-2.0
// Where a verb that serves requests listens, and who needs a token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "terminal/arguments.h"

namespace protium {

struct ServerPlace {
  std::string host = "127.0.0.1";
  int32_t port = 0;   // 0: the server's own, or the next one that is free.
  std::string token;  // Made if programs on other machines can send requests, or with --token.
};

// The flags --port, --host and --token; `usual_port` is the default shown in help.
std::vector<Flag> ServerPlaceFlags(int32_t usual_port);
Result<ServerPlace> ReadServerPlace(const Arguments& arguments);

}  // namespace protium
