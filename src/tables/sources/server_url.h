// SPDX-License-Identifier: Apache-2.0
// The URL of a database server in parts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct ServerUrl {
  std::string scheme;  // "postgresql" or "mysql".
  std::string user;    // Empty: the server's or the client's default.
  std::string host;    // A name, an address, or an absolute folder of sockets.
  int port = 0;        // 0: the kind's own.
  std::string database;
  // After the question mark: how the connection is secured, and how long it may take.
  std::vector<std::pair<std::string, std::string>> options;
};

// Reads "scheme://user@host:port/database?option=value"; parts may be percent-encoded. Refuses
// (kUsage) a URL that holds a password, without repeating any of it, and options other than
// sslmode, sslrootcert, sslcert, sslkey and connect_timeout.
Result<ServerUrl> ReadServerUrl(std::string_view text);

// Writes it for people, without options.
std::string ShowUrl(const ServerUrl& url);

}  // namespace protium
