// SPDX-License-Identifier: Apache-2.0
// Listens for ranks and calls them.
#pragma once

#include <string>
#include <vector>

#include "os/fd.h"

namespace protium {

struct Listening {
  std::vector<UniqueFd> sockets;
  std::vector<std::string> addresses;  // Where they can be reached: "10.0.0.5:40123".
};

// Listens at free ports of these (numeric) addresses, or at one port of all of this host's if none
// are given.
Result<Listening> ListenTcp(const std::vector<std::string>& addresses);
Result<UniqueFd> ListenUnix(const std::string& path);

// Begins a connection without blocking: the socket becomes writable as soon as it is connected or
// has failed (see ConnectError()).
Result<UniqueFd> BeginTcp(const std::string& address);
Result<UniqueFd> BeginUnix(const std::string& path);
int ConnectError(int fd);  // An errno, 0 for none.

bool IsLoopback(const std::string& address);

// Makes small messages leave at once (no Nagle), and the system probe a silent peer: after 10 s,
// then every 5 s, three times.
void TuneTcp(int fd);
// For connections that carry much data. A busy receiver must be able to take what an operation
// sends ahead: when its window is closed, data is dropped and sent again. On one host a short queue
// at the sender leaves copied data in the cache.
void WidenTcp(int fd, bool on_one_host);

}  // namespace protium
