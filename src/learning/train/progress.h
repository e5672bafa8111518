// SPDX-License-Identifier: Apache-2.0
// The events that rank 0 reports during training. They depend on the clock, and nothing that
// decides the weights depends on them.
#pragma once

#include <cstdint>
#include <functional>

#include "base/call.h"
#include "events/events.h"
#include "protium/events.h"
#include "train/checkpoint.h"
#include "train/stepper.h"

namespace protium {

// What validation has measured at the end of the state's epoch; a metric without a value is NaN.
Validated ValidatedBy(const Json& values, const CheckpointState& state);

// Reports steps as events: the first of this process, the last of all, and those in between at most
// every half second, with loss and speed over the steps since the previous event. Also reports
// where each rank spent its time: every second at first, less and less often in a long training.
class Progress {
 public:
  // `report` may be empty: this rank reports nothing. `steps` is the number of steps of all epochs.
  Progress(std::function<void(const Json&)> report, int64_t steps);

  // `step` and `epoch` count from 1; `rate` is the learning rate that the step was made with.
  void Stepped(int64_t step, int64_t epoch, const StepResult& result, double rate);
  // Reports the ranks' times that have not been reported yet: when training ends, or its ranks
  // change.
  void ReportTimes(int64_t step);
  template <IsEvent E>
  void Send(const E& event) const {
    if (report_ && speaks_) report_(EventToJson(event));
  }
  // Whether this rank is the one that reports: rank 0 of its generation.
  void Speak(bool speaks) { speaks_ = speaks; }
  double seconds() const;     // Since it was made.
  double wait_share() const;  // Of the time between the first and the last step.

 private:
  std::function<void(const Json&)> report_;
  bool speaks_ = true;
  int64_t steps_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point told_ = begun_;
  Clock::time_point last_ = begun_;
  bool first_ = true;
  double wait_seconds_ = 0;
  double wait_since_told_ = 0;
  double loss_ = 0;  // Sums since the last report.
  double weight_ = 0;
  int64_t rows_ = 0;
  RankTimes times_;
  Clock::time_point told_times_ = begun_;
};

}  // namespace protium
