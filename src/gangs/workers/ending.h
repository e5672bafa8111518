// SPDX-License-Identifier: Apache-2.0
// When a run is over, and with which result.
//
// 1. A failure of a member's own ends the run at once. A failure about other ranks ends it after
//    kSettleTime, because its cause is often seen a moment later.
// 2. After a stop members have gang.deadline seconds to end normally.
// 3. If several members fail, the failure that caused the others is the result (gang/failure.h).
#pragma once

#include <optional>
#include <vector>

#include "gang/attempts.h"
#include "workers/member.h"

namespace protium {

// Also how long a closed channel waits for its process to end, to report how it ended.
inline constexpr std::chrono::seconds kSettleTime{1};

// One thread; the caller passes the time.
class Ending {
 public:
  // Both must outlive it.
  Ending(const RunSpec& spec, const Call& call) : spec_(spec), call_(call) {}

  void Fail(RankFailure failure, Clock::time_point now);
  // The run fails now, with these among its failures.
  void FailNow(std::vector<RankFailure> failures, Clock::time_point now);
  // Adds what else is known of the failures so far.
  void Add(std::vector<RankFailure> causes);
  // The call was stopped, and members were asked to end. Call once.
  void Stop(Clock::time_point now);
  bool stopping() const { return killed_ != kNever; }
  // Prints which members have not ended, if a stop takes long.
  void PrintStopping(const std::vector<Member*>& running, Clock::time_point now);

  // When the run is over unless its members are done before.
  Deadline due() const { return std::min({settled_, killed_, call_.deadline}); }
  const std::vector<RankFailure>& failures() const { return failures_; }
  // Whether there are failures but not the one that they follow from.
  bool LacksCause() const;
  // `fed`: how the input ended, if it has.
  AttemptResult Outcome(const std::vector<Member*>& running, const std::optional<Status>& fed,
                        Clock::time_point now) const;

 private:
  AttemptResult OutcomeOfFailures() const;
  AttemptResult OutcomeOfStop(const std::vector<Member*>& running, Clock::time_point now) const;

  const RunSpec& spec_;
  const Call& call_;
  std::vector<RankFailure> failures_;
  // Set with the first failure: by this time it is known who failed first.
  Deadline settled_ = kNever;
  // After a stop: when members that have not ended are killed, and when the user is notified that
  // it takes long.
  Deadline killed_ = kNever;
  Deadline printed_ = kNever;
};

}  // namespace protium
