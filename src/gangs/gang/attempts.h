// SPDX-License-Identifier: Apache-2.0
// The restart rule: when, and how often, a gang that failed starts again. The only code that
// decides it, for all engines.
#pragma once

#include <cstdint>
#include <functional>

#include "base/call.h"
#include "plan/node.h"

namespace protium {

// The result of one attempt. `restart_may_help` is RestartMayHelp() of its cause (failure.h).
struct AttemptResult {
  Status status;
  bool restart_may_help = false;
  bool goes_on = false;  // It stopped for a gang of higher priority, or to get another size.
};

// Runs attempts 0, 1, ... until one succeeds, fails in a way that a restart cannot fix, is asked to
// stop or runs out of time, or until gang.max_restarts restarts are used up. Returns the status of
// the last attempt. A restart counts for gang.restart_window seconds, and longer if the gang has
// not saved (Call::saved) since: a gang that dies again before it has saved anything does not retry
// for ever. Sends AttemptStarted before every restart. An attempt that goes on is followed by the
// next one and does not count as a failure. Each attempt uses the call that is passed to it.
using AttemptFunction = std::function<AttemptResult(int32_t attempt, const Call& call)>;
Status RunAttempts(const GangSpec& gang, const Call& call, const AttemptFunction& run);

}  // namespace protium
