// SPDX-License-Identifier: Apache-2.0
#include "gang/attempts.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "run/events.h"

namespace protium {

namespace {

// The last attempt's fault, with the number of restarts before it: the same cause each time is
// worth knowing.
Status AfterRestarts(const Status& status, int32_t restarts) {
  if (restarts == 0) return status;
  Fault fault = FaultOf(status);
  const std::string count = fmt::format("{} restart{} did not help (gang.max_restarts)", restarts,
                                        restarts == 1 ? "" : "s");
  fault.why = count + (fault.why.empty() ? "" : "; " + fault.why);
  return Fail(std::move(fault));
}

}  // namespace

Status RunAttempts(const GangSpec& gang, const Call& call,
                   const std::function<AttemptResult(int32_t attempt)>& run) {
  for (int32_t attempt = 0;; ++attempt) {
    const AttemptResult result = run(attempt);
    // Stop and deadline are asked before the count: a user who pressed Ctrl-C does not want to hear
    // of restarts.
    const bool over = result.status.ok() || !result.restart_may_help ||
                      call.stop.stop_requested() || Clock::now() >= call.deadline;
    if (over) return result.status;
    if (attempt >= gang.max_restarts) return AfterRestarts(result.status, attempt);
    const Fault fault = FaultOf(result.status);
    call.Tell(EventToJson(AttemptStarted{.attempt = attempt + 1,
                                         .restarts_left = gang.max_restarts - attempt - 1,
                                         .cause = fault.what,
                                         .where = fault.where}));
  }
}

}  // namespace protium
