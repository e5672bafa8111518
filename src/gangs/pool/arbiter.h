// SPDX-License-Identifier: Apache-2.0
// Who gets the seats of this machine when several programs want them: a state machine without
// clock, thread, socket or process. Events go in, orders come out; the pool's daemon carries them
// out, as does the simulator in arbiter_lives.cc.
//
// 1. A claim is one gang's wish. It is granted whole (at least `min` seats) or not at all, and a
//    claim that waits holds nothing: so no two claims can wait for each other. Growth beyond what
//    was granted takes what is free and nobody waits for, and never waits itself.
// 2. Claims are served by priority, then by the least weighted dominant share of their program
//    (the largest of its shares of cores, bytes and devices, by its weight), then by age. A later
//    claim may pass one that does not fit, until that has waited for `patience`, or seats are on
//    their way back for it: from then on what it needs is kept for it.
// 3. Who waits makes others yield, those of the least priority and the largest share first: an
//    elastic gang shrinks to what it must keep, a gang of lower priority pauses, which means that
//    it stops after a step with its checkpoint, gives all back and claims again. Nothing is lost,
//    and nobody yields unless that is enough for the claim that waits. A claim that has yielded is
//    left alone for `rest`, after a pause from when it is granted again. Between claims of one
//    priority nobody pauses; elastic gangs shrink until the shares by weight are equal, and for a
//    claim that has waited for `patience` to their `min`.
// 4. A label's quota is guaranteed to it while it wants it: a claim within it goes first, whatever
//    its priority, and no other label takes what it covers. It covers the label's claims of the
//    highest priority first, then the oldest. What a label does not use others borrow, and yield
//    when it comes.
// 5. What would not fit on the idle machine is refused at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "pool/claim.h"
#include "pool/seat_plan.h"

namespace protium {

struct ArbiterOrder {
  enum class Kind {
    kGrant,   // The claim has these `seats` now, in addition to what it had.
    kWait,    // It waits, for the reason `why`; sent again whenever the reason changes.
    kRefuse,  // It can never fit; `why` names the number. The claim is gone.
    kOffer,   // There is room for `workers` in all: it may Grow() to that within `patience`.
    kShrink,  // Give seats back until `workers` are left; `why` says for whom.
    kPause,   // Stop after a step, give all back, claim again; `why` says for whom.
  };
  Kind kind = Kind::kGrant;
  int64_t claim = 0;
  std::vector<PoolSeat> seats;
  int32_t workers = 0;
  std::string why;
};

// One claim as `protium pool status` shows it.
struct ClaimState {
  int64_t claim = 0;
  Claim wish;
  int32_t workers = 0;    // Seats that it holds.
  int32_t asked_for = 0;  // As many as it should shrink to, while it has not; else `workers`.
  bool waits = false;
  bool pausing = false;
  std::string why;          // Why it waits; empty: it does not.
  Clock::time_point since;  // When it was claimed.
};

class Arbiter {
 public:
  // `known`: the claims of an arbiter whose place it takes, as known() gave them.
  explicit Arbiter(PoolMachine machine, std::vector<KnownClaim> known = {})
      : machine_(std::move(machine)), claims_(std::move(known)) {
    if (!claims_.empty()) due_ = {};
  }

  // Events. `now` never falls. Numbers of claims are the caller's, and never used again, except by
  // a claim that has paused and asks again: it keeps its age. Claims that are unknown, or already
  // hold or wait for seats when they ask, change nothing.
  void Ask(int64_t claim, Claim wish, Clock::time_point now);
  // One more worker for a claim that holds seats and is not asked to yield, if there is room and
  // nobody waits for it; an order kGrant follows if so, nothing otherwise.
  void Grow(int64_t claim, Clock::time_point now);
  // Gives seats back: those with these devices, for gangs without devices any `seats.size()`.
  void GiveBack(int64_t claim, const std::vector<PoolSeat>& seats, Clock::time_point now);
  // The claim is over, whether it was granted or waits.
  void End(int64_t claim, Clock::time_point now);
  void Gone(int64_t program, Clock::time_point now);
  // A living driver tells a new pool what it holds already. It may be more than the machine has.
  void Adopt(int64_t claim, Claim wish, std::vector<PoolSeat> seats, Clock::time_point now);
  // Until `until` is empty again nothing new is granted; who waits reads "waiting until ...".
  void Hold(std::string until, Clock::time_point now);
  void Look(Clock::time_point now);  // Time has passed.

  // Returns the orders that arose since the last call, in order.
  std::vector<ArbiterOrder> Orders() { return std::exchange(orders_, {}); }
  // When Look() is due; kNever if nothing waits for time.
  Deadline due() const { return due_; }

  std::vector<ClaimState> Claims() const;  // By age.
  const std::vector<KnownClaim>& known() const { return claims_; }
  Amount Free() const;  // Below 0 where drivers that were adopted hold more than there is.

 private:
  KnownClaim* Find(int64_t claim);
  std::vector<std::string> FreeDevices() const;
  void Decide(Clock::time_point now);
  // Returns whether a claim was granted while others wait.
  bool DecideOnce(Clock::time_point now);
  void LapseOffers(Clock::time_point now);
  void AskBack(const SeatPlan& plan, Clock::time_point now);
  void Grant(KnownClaim& one, int32_t workers, Clock::time_point now);
  void Offer(KnownClaim& one, int32_t more, Clock::time_point now);
  void Explain(const SeatPlan& plan);
  Deadline NextLook(Clock::time_point now) const;

  const PoolMachine machine_;
  std::vector<KnownClaim> claims_;  // The oldest first.
  std::string held_until_;          // Empty: claims are granted.
  std::vector<ArbiterOrder> orders_;
  Deadline due_ = kNever;
};

}  // namespace protium
