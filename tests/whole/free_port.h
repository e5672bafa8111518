// SPDX-License-Identifier: Apache-2.0
// Ports of the loopback address for servers that tests start.
#pragma once

#include "whole/command.h"

namespace protium::whole {

// A port that nobody listens on now.
int FreePort();
// Waits up to half a minute until the server answers on the port; false if it ended instead.
bool AwaitAnswer(int port, Running& server);

}  // namespace protium::whole
