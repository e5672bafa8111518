// SPDX-License-Identifier: Apache-2.0
// How many workers of which profile wait ready-made: those that were most asked for lately. Pure:
// reads no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/call.h"

namespace protium {

// For how long a request counts.
inline constexpr std::chrono::minutes kWarmMemory{10};

// The requests for one profile.
class WorkerDemand {
 public:
  // A driver was given `workers` in all, of them this one just now.
  void Add(int32_t workers, Clock::time_point now);
  // Forgets what is too old.
  void Look(Clock::time_point now);
  int64_t requests() const { return int64_t(asked_.size()); }
  // The most that one driver had of them.
  int32_t most() const;

  struct Asked {
    Clock::time_point at;
    int32_t workers = 0;
  };
  const std::deque<Asked>& asked() const { return asked_; }

 private:
  std::deque<Asked> asked_;
};

// How many should wait of each profile: the most asked for first, each as many as one driver had,
// at most `cores` together.
std::vector<int32_t> WarmTargets(const std::vector<const WorkerDemand*>& demands, int32_t cores);

}  // namespace protium
