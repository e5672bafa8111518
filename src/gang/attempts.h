// SPDX-License-Identifier: Apache-2.0
// The restart rule.
#pragma once

#include <cstdint>
#include <functional>

#include "base/call.h"
#include "plan/node.h"

namespace protium {

struct AttemptResult {
  Status status;
  bool restart_may_help = false;
};

// Runs attempts 0, 1, ... until one succeeds, fails in a way that a restart cannot mend, is to
// stop, or gang.max_restarts restarts are used up; gives the last one's status. Tells
// {"event": "restart", "attempt", "restarts_left", "cause", "where"} before every restart.
Status RunAttempts(const GangSpec& gang, const Call& call,
                   const std::function<AttemptResult(int32_t attempt)>& run);

}  // namespace protium
