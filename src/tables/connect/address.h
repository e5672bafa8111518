// SPDX-License-Identifier: Apache-2.0
// The address of a Spark Connect server and the identity of its user: Spark's connection string,
// read strictly. What it does not allow, or what would send a token in plain text, is a Fault of
// exit kUsage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct SparkAddress {
  // In lower case; an IPv6 address without brackets.
  std::string host;
  int32_t port = 15002;
  bool tls = false;
  // For bearer authentication; a secret.
  std::string token;
  // Empty: $SPARK_USER, else $USER, else "protium".
  std::string user_id;
  // Prepended to the client's own name.
  std::string user_agent;
  // A UUID in lower case; empty: a new session.
  std::string session_id;
  // Sent with each call; names are in lower case, values may be secret.
  std::vector<std::pair<std::string, std::string>> headers;

  std::string target() const;  // For gRPC: "host:15002", "[::1]:15002".
  // For messages: dots replace the token and the values of headers.
  std::string shown() const;
};

// Reads Spark's connection string,
//   sc://host[:15002]/;use_ssl=true;token=...;user_id=...;user_agent=...;session_id=...
// in which other parameters become headers. Values may be percent-encoded. `default_token` is used
// if the text has no token. A token implies TLS, except to this machine itself; use_ssl=false with
// a token for another machine is refused.
Result<SparkAddress> ParseSparkAddress(std::string_view text, std::string_view default_token);

// The same, with the token from the environment variable SPARK_CONNECT_AUTHENTICATE_TOKEN.
Result<SparkAddress> ParseSparkAddress(std::string_view text);

}  // namespace protium
