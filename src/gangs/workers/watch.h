// SPDX-License-Identifier: Apache-2.0
// Which of a run's members are alive, and who keeps others waiting (gang/waits.h).
//
// Workers give signs of life from a separate thread, so even a busy task gives them; a worker that
// gives none for gang.deadline seconds is stopped or starved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/member.h"

namespace protium {

// One thread; the caller passes the time. Members are identified by their address and must outlive
// it.
class Watch {
 public:
  // Both must outlive it.
  Watch(const RunSpec& spec, const Call& call) : spec_(spec), call_(call) {}

  // A new process has the member's work. Its silence counts from here, so one that never sends
  // anything is noticed, too. For a new member this happens when it is first looked up.
  void Begin(const Member& member, Clock::time_point now);
  // Every message is a sign of life.
  void Heard(const Member& member, const Frame& frame, Clock::time_point now);

  // Returns those of `running` that have been silent for the deadline.
  std::vector<Member*> Silent(const std::vector<Member*>& running, Clock::time_point now);
  bool IsSilent(const Member& member, Clock::time_point now);
  RankFailure Silence(const Member& member, Clock::time_point now);

  // Prints who keeps others waiting, and asks those members to write their stacks. `members` are
  // those that the others may wait for. Without a gang only the run waits for workers: prints which
  // have been quiet for long.
  void Warn(const std::vector<Member*>& members, Clock::time_point now);
  // Returns the likely causes if all failures are about other ranks: those of `running` that have
  // missed four beats, although their own deadline has not passed yet; if none, those of `awaited`
  // that are busy and have not come to what the others waited for.
  std::vector<RankFailure> Suspects(const std::vector<Member*>& running,
                                    const std::vector<Member*>& awaited, Clock::time_point now);
  // Returns "61.0 s in forward", or what its process waits for if that is stopped or it is
  // `silent`.
  std::string AtWhat(const Member& member, bool silent, Clock::time_point now);

 private:
  RankSight& Sight(const Member& member, Clock::time_point now);
  void WarnOfQuiet(const std::vector<Member*>& members, Clock::time_point now);

  const RunSpec& spec_;
  const Call& call_;
  std::map<const Member*, RankSight> sights_;
};

}  // namespace protium
