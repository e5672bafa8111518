// SPDX-License-Identifier: Apache-2.0
// Who of a run's members is alive, and who keeps others waiting (gang/waits.h).
//
// Workers give signs of life from a thread of their own, so a busy task still gives them; one that
// gives none for gang.deadline seconds is stopped or starved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/member.h"

namespace protium {

// One thread, which says what time it is. Members go by their address and outlive it.
class Watch {
 public:
  // Both outlive it.
  Watch(const RunSpec& spec, const Call& call) : spec_(spec), call_(call) {}

  // A new process has the member's work: its silence counts from here, so one that never speaks is
  // noticed, too. Of a member that is new this is done when it is first asked about.
  void Begin(const Member& member, Clock::time_point now);
  // Every message is a sign of life.
  void Heard(const Member& member, const Frame& frame, Clock::time_point now);

  // Those of `running` that have been silent for the deadline.
  std::vector<Member*> Silent(const std::vector<Member*>& running, Clock::time_point now);
  bool IsSilent(const Member& member, Clock::time_point now);
  RankFailure Silence(const Member& member, Clock::time_point now);

  // Prints who keeps others waiting, and asks those to write down where they are. Without a gang
  // nobody waits for a worker but the run: then, who has been quiet for long. `members` are those
  // that the others may wait for.
  void Warn(const std::vector<Member*>& members, Clock::time_point now);
  // All failures are about other ranks: these are taken for their cause. Of `running` those that
  // have missed four beats, although their own deadline has not passed yet; otherwise those of
  // `awaited` that are busy and have not come to what the others waited for.
  std::vector<RankFailure> Suspects(const std::vector<Member*>& running,
                                    const std::vector<Member*>& awaited, Clock::time_point now);
  // "61.0 s in forward", or what its process waits for if that is stopped or it is `silent`.
  std::string AtWhat(const Member& member, bool silent, Clock::time_point now);

 private:
  RankSight& Sight(const Member& member, Clock::time_point now);
  void WarnOfQuiet(const std::vector<Member*>& members, Clock::time_point now);

  const RunSpec& spec_;
  const Call& call_;
  std::map<const Member*, RankSight> sights_;
};

}  // namespace protium
