// SPDX-License-Identifier: Apache-2.0
#include "gang/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>

#include "base/fault.h"
#include "base/text.h"
#include "protium/events.h"

namespace protium {

namespace {

Status WithWhyAhead(const Status& status, std::string ahead) {
  Fault fault = FaultOf(status);
  fault.why = std::move(ahead) + (fault.why.empty() ? "" : "; " + fault.why);
  return Fail(std::move(fault));
}

// Returns the last attempt's error, with the number of restarts before it: the user should know if
// the cause is the same each time.
Status AfterRestarts(const Status& status, int32_t restarts) {
  if (restarts == 0) return status;
  return WithWhyAhead(status, fmt::format("{} restart{} did not help (gang.max_restarts)", restarts,
                                          PluralOf(restarts)));
}

// The last attempt's failure may follow from what the first one left behind, such as a full disk.
// `first` is nullopt if there was none before.
Status AfterFirst(const Status& status, const std::optional<Fault>& first) {
  if (status.ok() || !first || first->what == FaultOf(status).what) return status;
  const std::string where = first->where.empty() ? "" : " (" + first->where + ")";
  return WithWhyAhead(status, "it began with: " + first->what + where);
}

// When the gang has started again, as far as that still counts.
class CountedRestarts {
 public:
  explicit CountedRestarts(double window_seconds)
      : window_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(window_seconds, kLongest)))) {}
  int32_t count() const { return int32_t(at_.size()); }
  void Add() { at_.push_back(Clock::now()); }
  // The restarts made progress that was saved.
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
  Call counted_on = call;
  counted_on.saved = [&] { saved = true; };
  CountedRestarts counted(gang.restart_window);
  std::optional<Fault> first;
  for (int32_t attempt = 0;; ++attempt) {
    const AttemptResult result = run(attempt, counted_on);
    // Checks stop and deadline before the count: a user who pressed Ctrl-C does not want to read
    // about restarts.
    const bool over = result.status.ok() || !result.restart_may_help ||
                      call.stop.stop_requested() || Clock::now() >= call.deadline;
    if (result.goes_on && !call.stop.stop_requested()) continue;
    if (over) return call.stop.stop_requested() ? result.status : AfterFirst(result.status, first);
    if (saved.exchange(false)) counted.ForgetOld();
    if (counted.count() == 0) first.reset();
    if (counted.count() >= gang.max_restarts) {
      return AfterRestarts(AfterFirst(result.status, first), counted.count());
    }
    counted.Add();
    const Fault fault = FaultOf(result.status);
    if (!first) first = fault;
    call.Send(AttemptStarted{.attempt = attempt + 1,
                             .restarts_left = gang.max_restarts - counted.count(),
                             .cause = fault.what,
                             .where = fault.where});
  }
}

}  // namespace protium
