// SPDX-License-Identifier: Apache-2.0
// What a server grants each connection, and all of them together. A request that has not been
// admitted yet costs a connection and `head_bytes` at most.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace protium {

struct HttpLimits {
  size_t threads = 1;  // Threads that compute responses. A connection has none.
  size_t connections = 1024;
  size_t streams = 0;        // How many of these connections may have an endless response.
  size_t waiting = 1024;     // Requests that may wait for a thread.
  bool one_request = false;  // A connection ends with its first response.

  size_t head_bytes = 16 << 10;              // Request line and headers.
  size_t held_bytes = size_t{256} << 20;     // Bodies and responses of all connections.
  size_t computed_bytes = size_t{64} << 20;  // Bodies of all requests that are being computed.

  // A complete head must arrive within this time, counted from the start of the connection or from
  // the previous response.
  std::chrono::milliseconds head{5000};
  // A body, and a response being sent, may stand still no longer than this, and may never fall
  // further behind the minimum pace.
  std::chrono::milliseconds grace{5000};
  size_t bytes_per_second = 16 << 10;
  // For what is under way when the server ends.
  std::chrono::milliseconds end{10000};
};

// When the next byte of a body or a response must have been received or sent, after `bytes` of it.
inline std::chrono::steady_clock::time_point PaceDeadline(
    const HttpLimits& limits, std::chrono::steady_clock::time_point begin, size_t bytes) {
  const std::chrono::duration<double> due(double(bytes) / double(limits.bytes_per_second));
  return limits.grace +
         std::min(std::chrono::steady_clock::now(),
                  begin + std::chrono::duration_cast<std::chrono::milliseconds>(due));
}

}  // namespace protium
