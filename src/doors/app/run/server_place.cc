// SPDX-License-Identifier: Apache-2.0
#include "app/run/server_place.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "http/guard.h"

namespace protium {

std::vector<Flag> ServerPlaceFlags(int32_t usual_port) {
  return {{"--port", "N", fmt::format("the port ({}, or the next free one)", usual_port), ""},
          {"--host", "ADDRESS", "the address to listen on (this machine only)", ""},
          {"--token", "", "requires a token on this machine, too", ""}};
}

Result<ServerPlace> ReadServerPlace(const Arguments& arguments) {
  ServerPlace made;
  made.host = arguments.Value("--host", made.host);
  PT_LET(const int64_t port, arguments.Number("--port", 0));
  if (port > 65535) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("--port must be from 1 to 65535, got {}", port)});
  }
  made.port = int32_t(port);
  if (!IsOwnMachine(made.host) || arguments.Has("--token")) {
    PT_LET(made.token, MakeToken());
  }
  return made;
}

}  // namespace protium
