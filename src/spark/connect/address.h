// SPDX-License-Identifier: Apache-2.0
// Where a Spark Connect server is and who one is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct SparkAddress {
  std::string host;  // IPv6 addresses without brackets.
  int32_t port = 15002;
  bool tls = false;
  std::string token;                                         // Of bearer authentication; a secret.
  std::string user_id;                                       // Empty: the client's own choice.
  std::string user_agent;                                    // Likewise.
  std::string session_id;                                    // A UUID; empty: a new session.
  std::vector<std::pair<std::string, std::string>> headers;  // Sent with each call; may be secret.

  std::string target() const;  // "host:15002", "[::1]:15002"
  // For messages: without the token and the values of headers.
  std::string shown() const;
};

// Reads Spark's connection string,
//   sc://host[:15002]/;use_ssl=true;token=...;user_id=...;user_agent=...;session_id=...
// where other parameters become headers. Values may be percent-encoded. A missing token is
// `default_token`. A token implies TLS, except to this very machine.
Result<SparkAddress> ParseSparkAddress(std::string_view text, std::string_view default_token);

// The same with the token of the environment variable SPARK_CONNECT_AUTHENTICATE_TOKEN.
Result<SparkAddress> ParseSparkAddress(std::string_view text);

}  // namespace protium
