// SPDX-License-Identifier: Apache-2.0
// Who is in an elastic gang: a state machine without clock, thread or process. Events go in, orders
// come out; an engine carries them out, as does the simulator in roster_test.cc.
//
// 1. Members are processes, numbered from 0 in the order of their start; a number is never used
//    again. A generation is a list of members; a member's index in it is its rank.
// 2. A death cuts: survivors are called to the next generation at once. A newcomer, a member that
//    got notice, or a wish for fewer members changes the gang at an edge: members leave the
//    generation together, after a step that they agree on, so no step is lost.
// 3. A call replaces every older one. An edge is called only when all members have entered the
//    previous generation; a cut waits for nothing.
// 4. A member that was called and has died is left out of the next call. If nobody is left that has
//    the weights, the roster ends, and the gang starts again from its last checkpoint.
// 5. Deaths without a step between them are counted: a gang that dies again and again at the same
//    step ends instead of retrying for ever.
// 6. A gang with fixed ranks neither shrinks nor grows: a newcomer that is prepared takes exactly
//    the rank of a member that died, with the next cut. One more than there are ranks is started,
//    so that it is prepared by then. Rank 0 is taken by nobody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"

namespace protium {

struct Generation {
  int64_t number = 0;
  std::vector<int32_t> members;  // By rank.
  bool cut = false;              // Leave the previous one at once, not after a step.
};

struct RosterLimits {
  int32_t min = 1;
  int32_t max = 1;
  int32_t fruitless = 2;  // How many deaths in a row without a step, or failed starts, are allowed.
  Clock::duration patience{};  // How long fewer than `min` wait for others.
  bool fixed_ranks = false;    // `min` and `max` are the number of ranks.
};

struct RosterOrder {
  enum class Kind {
    kStart,    // Start `member` as a newcomer.
    kCall,     // Send `generation` to its members; the previous one's learn that it is over.
    kDismiss,  // `member` is not needed any more: end it.
    kEnd,      // No generation can follow; `why` says what is missing.
  };
  Kind kind = Kind::kStart;
  int32_t member = 0;
  Generation generation;
  std::string why;
};

class Roster {
 public:
  // Members 0 .. members - 1 form generation 0.
  Roster(const RosterLimits& limits, int32_t members, Clock::time_point now);

  // Events. `now` never falls.
  void Shared(int32_t member, Clock::time_point now);    // Its rows are stored with the gang.
  void Prepared(int32_t member, Clock::time_point now);  // A newcomer waits to be called.
  // It is in the generation, with the weights after `step` steps.
  void Entered(int32_t member, int64_t generation, int64_t step, Clock::time_point now);
  void Gone(int32_t member, Clock::time_point now);      // Its process has ended, for any reason.
  void Finished(int32_t member, Clock::time_point now);  // Its task is done; no change after that.
  void Notice(int32_t member, Clock::time_point now);    // It will have to end soon.
  void Want(int32_t members, Clock::time_point now);     // Clamped to the limits.
  void Look(Clock::time_point now);                      // Time has passed.

  // Returns the orders that arose since the last call, in order.
  std::vector<RosterOrder> Orders() { return std::exchange(orders_, {}); }
  // When Look() is due; kNever if nothing waits.
  Deadline due() const;
  // Whether all initial members have shared their rows.
  bool bends() const { return bends_; }
  // Whether some member's task is done, or no generation can follow.
  bool closed() const { return finished_ || ended_; }
  const Generation& newest() const { return newest_; }

 private:
  enum class State { kIn, kStarting, kPrepared, kGone };
  struct Member {
    State state = State::kIn;
    bool shared = false;
    bool leaving = false;  // It got notice.
    int64_t entered = -1;  // The newest generation that it is in.
  };

  bool Is(int32_t member, State state) const { return members_.at(member).state == state; }
  std::vector<int32_t> All(State state) const;
  std::vector<int32_t> Survivors() const;
  std::vector<int32_t> Next() const;
  std::vector<int32_t> NextOfFixed() const;
  bool AllEntered() const;
  void Decide(Clock::time_point now);
  void AfterDeath(Clock::time_point now);
  void AtEdge();
  void StartMissing();
  void Call(std::vector<int32_t> members, bool cut);
  void End(std::string why);

  const RosterLimits limits_;
  std::map<int32_t, Member> members_;
  Generation newest_;
  int32_t wanted_;
  bool bends_ = false;
  bool finished_ = false;
  bool ended_ = false;
  int64_t step_ = -1;      // The furthest step that any member entered with.
  int32_t fruitless_ = 0;  // Deaths since `step_` grew.
  int32_t vain_ = 0;       // Newcomers in a row that died before they entered.
  std::optional<Clock::time_point> short_since_;  // Since when fewer than `min` are left.
  std::vector<RosterOrder> orders_;
};

}  // namespace protium
