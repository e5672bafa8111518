// SPDX-License-Identifier: Apache-2.0
// Waiting on descriptors until a deadline. For those who need events other than "can be read".
#pragma once

#include <poll.h>

#include <span>

#include "base/call.h"

namespace protium {

// ppoll() until an event, a failure (both visible in revents) or the deadline; false at the
// deadline. Interrupted waits go on.
bool Poll(std::span<pollfd> polls, Deadline deadline);

}  // namespace protium
