// SPDX-License-Identifier: Apache-2.0
// Where the JVM connects to the daemon.
#pragma once

#include "launcher/handshake.h"
#include "launcher/text.h"

namespace protium::launcher {

// Owned by the daemon; its children close their copy.
struct Listener {
  int fd = -1;
  Transport transport = Transport::kTcp;
  int port = 0;
  Text path;  // Of the socket file, which is removed at the end.
};

// Listens where the environment says: on a socket file in PYTHON_WORKER_FACTORY_SOCK_DIR, or on a
// loopback port that the system chooses. fd is -1, with errno set, if that fails.
Listener Listen();

// Announces it to the JVM on stdout: the port as a number, or the path as a text. Nothing else may
// be written there.
bool Announce(const Listener& listener);

}  // namespace protium::launcher
