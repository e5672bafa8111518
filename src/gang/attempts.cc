// SPDX-License-Identifier: Apache-2.0
#include "gang/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>

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

// When the gang has started again, as far as that still counts.
class CountedRestarts {
 public:
  explicit CountedRestarts(double window_seconds)
      : window_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(window_seconds, kLongest)))) {}
  int32_t count() const { return int32_t(at_.size()); }
  void Add() { at_.push_back(Clock::now()); }
  // What came of them was saved.
  void ForgetOld() {
    const auto since = Clock::now() - window_;
    while (!at_.empty() && at_.front() < since) at_.pop_front();
  }

 private:
  static constexpr double kLongest = 1e9;  // 30 years: a clock can still count them.

  const Clock::duration window_;
  std::deque<Clock::time_point> at_;
};

}  // namespace

Status RunAttempts(const GangSpec& gang, const Call& call, const AttemptFunction& run) {
  std::atomic<bool> saved = false;
  Call told = call;
  told.events = [&](const Json& event) {
    if (event.value("event", "") == "checkpoint") saved = true;
    call.Tell(event);
  };
  CountedRestarts counted(gang.restart_window);
  for (int32_t attempt = 0;; ++attempt) {
    const AttemptResult result = run(attempt, told);
    // Stop and deadline are asked before the count: a user who pressed Ctrl-C does not want to hear
    // of restarts.
    const bool over = result.status.ok() || !result.restart_may_help ||
                      call.stop.stop_requested() || Clock::now() >= call.deadline;
    if (result.goes_on && !call.stop.stop_requested()) continue;
    if (over) return result.status;
    if (saved.exchange(false)) counted.ForgetOld();
    if (counted.count() >= gang.max_restarts) return AfterRestarts(result.status, counted.count());
    counted.Add();
    const Fault fault = FaultOf(result.status);
    call.Tell(EventToJson(AttemptStarted{.attempt = attempt + 1,
                                         .restarts_left = gang.max_restarts - counted.count(),
                                         .cause = fault.what,
                                         .where = fault.where}));
  }
}

}  // namespace protium
