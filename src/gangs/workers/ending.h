// SPDX-License-Identifier: Apache-2.0
// When a run is over, and with which result.
//
// 1. A failure of a member's own ends the run at once. One about other ranks ends it after
//    kSettleTime, because the failure that it follows from is often seen a moment later.
// 2. After a stop members have gang.deadline seconds to end well.
// 3. Of many failures the one that caused the others is the result (gang/failure.h).
#pragma once

#include <optional>
#include <vector>

#include "gang/attempts.h"
#include "workers/member.h"

namespace protium {

// Also how long a closed channel waits for its process to end, to say how it ended.
inline constexpr std::chrono::seconds kSettleTime{1};

// One thread, which says what time it is.
class Ending {
 public:
  // Both outlive it.
  Ending(const RunSpec& spec, const Call& call) : spec_(spec), call_(call) {}

  void Fail(RankFailure failure, Clock::time_point now);
  // The run fails now, with these among its failures.
  void FailNow(std::vector<RankFailure> failures, Clock::time_point now);
  // What else is known of the failures that there are.
  void Add(std::vector<RankFailure> causes);
  // The call has been stopped, and members were asked to end. Once.
  void Stop(Clock::time_point now);
  bool stopping() const { return killed_ != kNever; }
  // Prints which members have not ended, once a stop takes its time.
  void PrintStopping(const std::vector<Member*>& running, Clock::time_point now);

  // When the run is over, unless its members are done before.
  Deadline due() const { return std::min({settled_, killed_, call_.deadline}); }
  const std::vector<RankFailure>& failures() const { return failures_; }
  // There are failures, and what they follow from is not among them.
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
  // Set with the first failure: by then it is known who failed first.
  Deadline settled_ = kNever;
  // After a stop: when those that have not ended are killed, and when a person is to know that it
  // takes its time.
  Deadline killed_ = kNever;
  Deadline printed_ = kNever;
};

}  // namespace protium
