// SPDX-License-Identifier: Apache-2.0
#include "pool/warm.h"

#include <algorithm>
#include <numeric>

namespace protium {

namespace {

// Of one profile; the latest count.
constexpr size_t kMostRequests = 1000;

}  // namespace

void WorkerDemand::Add(int32_t workers, Clock::time_point now) {
  asked_.push_back({now, workers});
  if (asked_.size() > kMostRequests) asked_.pop_front();
}

void WorkerDemand::Look(Clock::time_point now) {
  while (!asked_.empty() && now - asked_.front().at > kWarmMemory) asked_.pop_front();
}

int32_t WorkerDemand::most() const {
  int32_t most = 0;
  for (const Asked& each : asked_) most = std::max(most, each.workers);
  return most;
}

std::vector<int32_t> WarmTargets(const std::vector<const WorkerDemand*>& demands, int32_t cores) {
  std::vector<size_t> order(demands.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return demands[i]->requests(); });
  std::vector<int32_t> targets(demands.size(), 0);
  for (const size_t each : order) {
    targets[each] = std::min(demands[each]->most(), cores);
    cores -= targets[each];
  }
  return targets;
}

}  // namespace protium
