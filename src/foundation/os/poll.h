// SPDX-License-Identifier: Apache-2.0
// Waits on descriptors until a deadline. For callers that need events other than "can be read".
#pragma once

#include <poll.h>

#include <span>

#include "base/call.h"

namespace protium {

// Calls ppoll() until an event, a failure (both visible in revents) or the deadline; false at the
// deadline. Resumes interrupted waits.
bool Poll(std::span<pollfd> polls, Deadline deadline);

}  // namespace protium
