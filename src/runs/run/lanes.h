// SPDX-License-Identifier: Apache-2.0
// How each rank spent its time in training, from the events RankSeconds (events/events.h), and
// which rank the others wait for.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// Seconds of every rank.
struct LaneTimes {
  std::vector<double> seconds;  // In total.
  std::vector<double> wait;     // In the all-reduce, for others.
  std::vector<double> held;     // That the others waited for this rank, averaged over them.
  std::map<std::string, std::vector<double>> parts;  // "forward", "reduce", ...
  void Add(const LaneTimes& more);
};

// The steps from one event to the next.
struct LaneInterval {
  double ended = 0;  // Milliseconds since 1970; each rank began its `seconds` before.
  int64_t step = 0;  // The last one.
  int64_t count = 0;
  LaneTimes times;
};

// The rank that the others wait for.
struct SlowRank {
  size_t rank = 0;
  double share = 0;  // Of the time, 0 to 1, that the others wait for it.
  std::string part;  // In which it takes longer than the others; "other": no measured part.
  double ratio = 1;  // Its time in `part` divided by the median of the others; 0: they have none.
  std::string text;  // In words, with what to check.
};

// Takes the events of a run in order, in memory that does not grow with their number. Reads no
// clock; one thread.
class RankLanes {
 public:
  void On(const Json& event, double time_ms);

  const std::vector<LaneInterval>& intervals() const { return intervals_; }
  // Since the current ranks of the gang came together; earlier ranks were other processes.
  const LaneTimes& total() const { return total_; }
  // Over the last half minute or more, or else since then. None: no rank keeps the others waiting
  // so much longer than the rest that it stands out.
  std::optional<SlowRank> Slow() const;

  // {"intervals": [{"ended", "step", "count", "seconds", "wait", "parts"}], "total": {"seconds",
  // "wait", "held", "parts"}, "slow": {...} or null}; at most `most` intervals, neighbours added
  // up.
  Json ToJson(size_t most) const;

 private:
  std::vector<LaneInterval> intervals_;
  LaneTimes total_;
  std::deque<LaneTimes> lately_;  // The last few.
  int64_t shards_ = 0;
};

}  // namespace protium
