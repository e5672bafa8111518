// SPDX-License-Identifier: Apache-2.0
// What a server gives to whoever connects, and to all of them together. What is not yet known to be
// allowed to ask costs a connection and `head_bytes` at most.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace protium {

struct HttpLimits {
  size_t threads = 1;  // That compute answers. A connection has none.
  size_t connections = 1024;
  size_t streams = 0;        // Connections among these whose answer has no end.
  size_t waiting = 1024;     // Requests that wait for a thread.
  bool one_request = false;  // A connection ends with its first response.

  size_t head_bytes = 16 << 10;              // Request line and headers.
  size_t held_bytes = size_t{256} << 20;     // Bodies and answers of all connections.
  size_t computed_bytes = size_t{64} << 20;  // Bodies of all requests that are computed.

  // A head comes whole within this, counted from the connection's begin or the response before.
  std::chrono::milliseconds head{5000};
  // A body, and a response on its way, stands still no longer than this, and is never further
  // behind this pace.
  std::chrono::milliseconds grace{5000};
  size_t bytes_per_second = 16 << 10;
  // What is under way when the server is to end.
  std::chrono::milliseconds end{10000};
};

// When the next byte of a body or a response must have come or gone, `bytes` of it being behind us.
inline std::chrono::steady_clock::time_point PaceDeadline(
    const HttpLimits& limits, std::chrono::steady_clock::time_point begin, size_t bytes) {
  const std::chrono::duration<double> due(double(bytes) / double(limits.bytes_per_second));
  return limits.grace +
         std::min(std::chrono::steady_clock::now(),
                  begin + std::chrono::duration_cast<std::chrono::milliseconds>(due));
}

}  // namespace protium
