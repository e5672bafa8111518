// SPDX-License-Identifier: Apache-2.0
// The restart rule: when a gang that failed starts again, and how often. The only place that
// decides it, for all engines.
#pragma once

#include <cstdint>
#include <functional>

#include "base/call.h"
#include "plan/node.h"

namespace protium {

// What came of one attempt. `restart_may_help` is RestartMayHelp() of its cause (failure.h).
struct AttemptResult {
  Status status;
  bool restart_may_help = false;
};

// Runs attempts 0, 1, ... until one succeeds, fails in a way that a restart cannot mend, is to stop
// or out of time, or gang.max_restarts restarts are used up; returns the last one's status. Reports
// {"event": "restart", "attempt", "restarts_left", "cause", "where"} before every restart.
Status RunAttempts(const GangSpec& gang, const Call& call,
                   const std::function<AttemptResult(int32_t attempt)>& run);

}  // namespace protium
