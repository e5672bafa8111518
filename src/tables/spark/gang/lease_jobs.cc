// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/lease_jobs.h"

#include <utility>

namespace protium {

LeaseJobs::~LeaseJobs() {
  // All at once, so that they end in parallel.
  for (std::jthread& each : jobs_) each.request_stop();
  jobs_.clear();
}

int32_t LeaseJobs::Start() {
  const auto seat = int32_t(jobs_.size());
  running_.push_back(seat);
  jobs_.emplace_back([this, seat](const std::stop_token& stop) {
    LeaseJobEnd end = run_(seat, stop);
    std::lock_guard lock(mutex_);
    ends_.push_back(std::move(end));
    ended_.notify_all();
  });
  return seat;
}

void LeaseJobs::Interrupt(int32_t seat) {
  std::erase(running_, seat);
  jobs_[size_t(seat)].request_stop();
}

std::vector<LeaseJobEnd> LeaseJobs::TakeEnds() {
  std::lock_guard lock(mutex_);
  // What an interrupted job reports about its end is known already.
  std::erase_if(ends_, [&](const auto& each) { return std::erase(running_, each.seat) == 0; });
  return std::exchange(ends_, {});
}

void LeaseJobs::Wait(Deadline until) {
  std::unique_lock lock(mutex_);
  ended_.wait_until(lock, until, [&] { return !ends_.empty(); });
}

}  // namespace protium
