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
  bool goes_on = false;  // It ended for a gang of a higher priority, or to have another size.
};

// Runs attempts 0, 1, ... until one succeeds, fails in a way that a restart cannot fix, is to stop
// or out of time, or gang.max_restarts restarts are used up; returns the last one's status. A
// restart counts for gang.restart_window seconds, and beyond that until the gang has saved
// (Call::saved) after it: one that dies again before it has saved anything does not try for ever.
// Sends AttemptStarted before every restart. An attempt that goes on is followed by the next and is
// no failure. An attempt uses the call that it is given.
using AttemptFunction = std::function<AttemptResult(int32_t attempt, const Call& call)>;
Status RunAttempts(const GangSpec& gang, const Call& call, const AttemptFunction& run);

}  // namespace protium
