// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <span>

#include "base/call.h"

namespace protium {

// ppoll() until an event, a failure (both visible in revents) or the deadline; false at the
// deadline. Interrupted waits go on.
bool Poll(std::span<pollfd> polls, Deadline deadline);

}  // namespace protium
