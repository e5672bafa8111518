// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for others, as a driver sees them on every engine. A rank's signs of life say
// what its task is doing (gang/doing.h): it waits in a collective call, or is busy with something.
// If some ranks wait and others are busy or silent, the first wait for the second. The user is
// notified after a tenth of gang.deadline, and the late rank is asked to write its stack to its
// log, where a report of its failure finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "gang/doing.h"
#include "protium/events.h"

namespace protium {

// How often ranks give signs of life: a quarter of `deadline` (in seconds), at most 1 s.
std::chrono::milliseconds BeatOf(double deadline);

// What the driver knows of a rank's activity.
struct RankSight {
  Clock::time_point heard{};   // Its last sign of life, of any kind.
  TaskSight doing;             // What it was doing when it last reported,
  Clock::time_point looked{};  // and when that was.
  Clock::time_point warned{};  // When the user was last notified that it keeps others waiting.

  void Begin(Clock::time_point now) { heard = looked = now; }
  // A beat, which has a TaskSight at "doing".
  void OnBeat(const Json& beat, Clock::time_point now);
  // Seconds that it has been at `doing`, as far as is known.
  double SecondsAt(Clock::time_point now) const;
  // "61.0 s in forward".
  std::string AtWhat(Clock::time_point now) const;
};

struct WaitTerms {
  double deadline = 60;            // GangSpec::deadline, in seconds.
  Clock::duration beat{};          // How often a rank gives a sign.
  Clock::duration silent_after{};  // A rank without a sign for this long is silent.
  bool replaces_hung = true;       // GangSpec::replace_hung.

  bool IsSilent(const RankSight& sight, Clock::time_point now) const {
    return now - sight.heard > silent_after;
  }
};

struct WatchedRank {
  int32_t rank = 0;
  RankSight* sight = nullptr;
};

// A rank that keeps others waiting, and for how many seconds so far.
struct LateRank {
  WatchedRank late;
  std::string waiting;  // "ranks 0, 2"
  double seconds = 0;
};

// Returns those of `ranks` to notify the user of now: each at most once per deadline, since a rank
// that is only slow would fill the log.
std::vector<LateRank> FindLate(const std::vector<WatchedRank>& ranks, const WaitTerms& terms,
                               Clock::time_point now);

// Returns the warning; `who` is "rank 1", `at_what` is what it is doing.
Warning LateWarning(const LateRank& late, const std::string& who, const std::string& at_what,
                    const WaitTerms& terms);

// Returns what follows a rank's name in a report that it exceeded the deadline.
std::string KeptWaiting(const std::string& at_what, const WaitTerms& terms);

}  // namespace protium
