// SPDX-License-Identifier: Apache-2.0
// Listening for ranks and calling them.
#pragma once

#include <string>
#include <vector>

#include "os/fd.h"

namespace protium {

struct Listening {
  std::vector<UniqueFd> sockets;
  std::vector<std::string> addresses;  // Where they can be reached: "10.0.0.5:40123".
};

// Listens at free ports of these addresses (numeric), or at one port of all of this host's when
// there are none given.
Result<Listening> ListenTcp(const std::vector<std::string>& addresses);
Result<UniqueFd> ListenUnix(const std::string& path);

// Begins a connection without blocking: the socket becomes writable once it is connected or failed
// (ConnectError() tells).
Result<UniqueFd> BeginTcp(const std::string& address);
Result<UniqueFd> BeginUnix(const std::string& path);
int ConnectError(int fd);  // An errno, 0 for none.

bool IsLoopback(const std::string& address);

// Small messages leave at once (no Nagle), and the system probes a silent peer: after 10 s, then
// every 5 s, three times.
void TuneTcp(int fd);
// For connections that carry much. A receiver that is busy must be able to take what an operation
// sends ahead: once its window is closed, data is dropped and sent again. On one host a short queue
// at the sender keeps what is copied in the cache.
void WidenTcp(int fd, bool on_one_host);

}  // namespace protium
