// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/handshake.h"
#include "launcher/text.h"

namespace protium::launcher {

struct Listener {
  int fd = -1;
  Transport transport = Transport::kTcp;
  int port = 0;
  Text path;  // Of the socket file; to be removed at the end.
};

// Listens where the environment says: a socket file in PYTHON_WORKER_FACTORY_SOCK_DIR or a loopback
// port. fd is -1, with errno, when that fails.
Listener Listen();

// Tells the JVM on stdout.
bool Announce(const Listener& listener);

}  // namespace protium::launcher
