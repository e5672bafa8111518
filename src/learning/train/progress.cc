// SPDX-License-Identifier: Apache-2.0
#include "train/progress.h"

#include <algorithm>
#include <cmath>

namespace protium {
namespace {

// Often enough for a terminal; fast nets make thousands of steps a second, and each event is a line
// in the log.
constexpr std::chrono::milliseconds kEvery{500};
// Each of these events has several numbers per rank: 300 events come in the first five minutes, and
// 2,000 in a day.
constexpr std::chrono::seconds kTimesEvery{1};
constexpr int kTimesOfAll = 300;

double SecondsBetween(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Validated ValidatedBy(const Json& values, const CheckpointState& state) {
  Validated event{.epoch = state.epoch, .step = state.step};
  for (const auto& [name, value] : values.items()) {
    event.metrics.emplace_back(name, value.is_number() ? value.get<double>() : std::nan(""));
  }
  return event;
}

Progress::Progress(std::function<void(const Json&)> report, int64_t steps)
    : report_(std::move(report)), steps_(steps) {}

void Progress::Stepped(int64_t step, int64_t epoch, const StepResult& result, double rate) {
  last_ = Clock::now();
  wait_seconds_ += result.wait_seconds;
  wait_since_told_ += result.wait_seconds;
  loss_ += result.loss * result.weight;
  weight_ += result.weight;
  rows_ += result.rows;
  times_.Add(result.times);
  const auto often = std::max<Clock::duration>(kTimesEvery, (last_ - begun_) / kTimesOfAll);
  if (last_ - told_times_ >= often) ReportTimes(step);
  if (!first_ && last_ - told_ < kEvery && step != steps_) return;
  const double seconds = SecondsBetween(told_, last_);
  Send(StepDone{.step = step,
                .steps = steps_,
                .epoch = epoch,
                .loss = weight_ > 0 ? loss_ / weight_ : 0.0,
                .learning_rate = rate,
                .rows_per_second = seconds > 0 ? double(rows_) / seconds : 0.0,
                .wait_share = seconds > 0 ? wait_since_told_ / seconds : 0.0});
  first_ = false;
  told_ = last_;
  wait_since_told_ = loss_ = weight_ = 0;
  rows_ = 0;
}

void Progress::ReportTimes(int64_t step) {
  if (times_.empty()) return;
  Send(times_.Take(step));
  told_times_ = Clock::now();
}

double Progress::seconds() const { return SecondsBetween(begun_, Clock::now()); }

double Progress::wait_share() const {
  const double seconds = SecondsBetween(begun_, last_);
  return seconds > 0 ? wait_seconds_ / seconds : 0;
}

}  // namespace protium
