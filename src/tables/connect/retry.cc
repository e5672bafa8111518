// SPDX-License-Identifier: Apache-2.0
#include "connect/retry.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace protium::connect {

Retries::Retries(const RetryPolicy& policy)
    : policy_(policy),
      wait_(static_cast<double>(policy.first.count())),
      random_(std::random_device()()) {}

std::optional<Milliseconds> Retries::Next(std::optional<Milliseconds> server_asks) {
  if (used_ >= policy_.tries) return std::nullopt;
  ++used_;
  Milliseconds wait(static_cast<int64_t>(wait_));
  wait_ = std::min(wait_ * policy_.factor, static_cast<double>(policy_.longest.count()));
  // Many clients that lost the same server at once should not all return at once.
  if (wait >= policy_.jitter_from && policy_.jitter.count() > 0) {
    wait +=
        Milliseconds(std::uniform_int_distribution<int64_t>(0, policy_.jitter.count())(random_));
  }
  if (server_asks) wait = std::max(wait, std::min(*server_asks, kLongestServerWait));
  return wait;
}

void Retries::Reset() {
  used_ = 0;
  wait_ = static_cast<double>(policy_.first.count());
}

bool Sleep(Milliseconds wait, const Call& call) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  const Deadline until = std::min(Clock::now() + wait, call.deadline);
  never.wait_until(lock, call.stop, until, [] { return false; });
  return !call.stop.stop_requested() && Clock::now() < call.deadline;
}

}  // namespace protium::connect
