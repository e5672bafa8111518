// SPDX-License-Identifier: Apache-2.0
#include "pool/arbiter.h"

#include <algorithm>
#include <set>

#include "pool/shares.h"
#include "pool/waiting.h"

namespace protium {
namespace {

constexpr int32_t kMostWorkers = 1 << 16;

// The wish with what the machine does not count left out and what it does not have cut off, so that
// sums stay small.
Claim Bounded(Claim wish, const PoolMachine& machine) {
  const auto bounded = [](int64_t each, int64_t all) { return std::clamp<int64_t>(each, 0, all); };
  const Amount whole = WholeOf(machine);
  Amount& one = wish.per_worker;
  one = {bounded(one.cores, whole.cores), bounded(one.bytes, whole.bytes),
         bounded(one.devices, whole.devices)};
  wish.max = std::min(wish.max, kMostWorkers);
  const auto limit = [&](int64_t each, int64_t all) {
    if (each > 0) wish.max = int32_t(std::min<int64_t>(wish.max, all / each));
  };
  if (!wish.shares_cores) limit(one.cores, whole.cores);
  limit(one.bytes, whole.bytes);
  limit(one.devices, whole.devices);
  return wish;
}

}  // namespace

KnownClaim* Arbiter::Find(int64_t claim) {
  const auto found = std::ranges::find(claims_, claim, &KnownClaim::number);
  return found == claims_.end() ? nullptr : &*found;
}

void Arbiter::Ask(int64_t claim, Claim wish, Clock::time_point now) {
  KnownClaim* known = Find(claim);
  if (known && (known->waits || known->workers() > 0)) return;
  auto never = WhyNever(machine_, wish);
  if (!never && wish.min > kMostWorkers) never = "asks for more than 65,536 workers";
  if (never) {
    if (known) End(claim, now);
    orders_.push_back({.kind = ArbiterOrder::Kind::kRefuse, .claim = claim, .why = *never});
    return;
  }
  if (!known) known = &claims_.emplace_back(KnownClaim{.number = claim, .since = now});
  known->wish = Bounded(std::move(wish), machine_);
  known->waits = true;
  known->waits_since = now;
  known->sated = false;
  known->why.clear();
  Decide(now);
}

void Arbiter::Grow(int64_t claim, Clock::time_point now) {
  KnownClaim* one = Find(claim);
  if (!one || one->workers() == 0 || one->workers() >= one->wish.max || one->yields()) return;
  one->sated = false;
  one->grows = true;
  Decide(now);
  one->grows = false;
}

void Arbiter::GiveBack(int64_t claim, const std::vector<PoolSeat>& seats, Clock::time_point now) {
  KnownClaim* one = Find(claim);
  if (!one) return;
  const bool asked = one->yields();
  const int32_t before = one->workers();
  for (const PoolSeat& seat : seats) {
    const auto found = std::ranges::find(one->seats, seat.devices, &PoolSeat::devices);
    if (found != one->seats.end()) one->seats.erase(found);
  }
  if (one->workers() == before) return;
  if (!asked) one->sated = true;
  if (asked && !one->yields()) {
    one->rests_until = now + machine_.rest;
    one->why.clear();
  }
  if (!one->yields()) one->asked_for = one->workers();
  if (one->workers() == 0) one->paused = std::exchange(one->pausing, false) || one->paused;
  one->offered = 0;
  Decide(now);
}

void Arbiter::End(int64_t claim, Clock::time_point now) {
  if (std::erase_if(claims_, [&](const KnownClaim& one) { return one.number == claim; }) > 0) {
    Decide(now);
  }
}

void Arbiter::Gone(int64_t program, Clock::time_point now) {
  if (std::erase_if(claims_, [&](const KnownClaim& one) { return one.wish.program == program; }) >
      0) {
    Decide(now);
  }
}

void Arbiter::Adopt(int64_t claim, Claim wish, std::vector<PoolSeat> seats, Clock::time_point now) {
  if (Find(claim)) return;
  const auto workers = int32_t(seats.size());
  wish.min = std::max(wish.min, 1);
  if (!(wish.weight > 0)) wish.weight = 1;
  claims_.push_back({.number = claim,
                     .wish = Bounded(std::move(wish), machine_),
                     .since = now,
                     .seats = std::move(seats),
                     .asked_for = workers});
  Decide(now);
}

void Arbiter::Hold(std::string until, Clock::time_point now) {
  if (until == held_until_) return;
  held_until_ = std::move(until);
  Decide(now);
}

void Arbiter::Look(Clock::time_point now) { Decide(now); }

std::vector<ClaimState> Arbiter::Claims() const {
  std::vector<ClaimState> states;
  for (const KnownClaim& one : claims_) {
    states.push_back({.claim = one.number,
                      .wish = one.wish,
                      .workers = one.workers(),
                      .asked_for = one.asked_for,
                      .waits = one.waits,
                      .pausing = one.pausing,
                      .why = one.waits ? one.why : "",
                      .since = one.since});
  }
  return states;
}

std::vector<std::string> Arbiter::FreeDevices() const {
  std::vector<std::string> free = machine_.devices;
  for (const KnownClaim& one : claims_) {
    for (const PoolSeat& seat : one.seats) {
      for (const std::string& device : seat.devices) std::erase(free, device);
    }
  }
  return free;
}

Amount Arbiter::Free() const {
  Amount free = WholeOf(machine_);
  for (const KnownClaim& one : claims_) free = free - NeedOf(one.wish, one.workers(), machine_);
  free.devices = int64_t(FreeDevices().size());
  return free;
}

void Arbiter::Decide(Clock::time_point now) {
  LapseOffers(now);
  // What is granted changes shares, and so whose turn it is.
  while (DecideOnce(now)) {
  }
  due_ = NextLook(now);
}

bool Arbiter::DecideOnce(Clock::time_point now) {
  SeatPlan plan(machine_, claims_, Free(), now);
  if (held_until_.empty()) {
    plan.Serve();
    plan.Enlarge();
  }
  AskBack(plan, now);
  bool granted = false;
  for (const size_t each : plan.order()) {
    const SeatPlan::Line& line = plan.line(each);
    if (line.verdict != SeatPlan::Verdict::kGranted) continue;
    Grant(claims_[each], claims_[each].wish.min + line.more, now);
    granted = true;
  }
  if (granted && std::ranges::any_of(claims_, &KnownClaim::waits)) return true;
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (plan.line(i).verdict == SeatPlan::Verdict::kHolds)
      Offer(claims_[i], plan.line(i).more, now);
  }
  Explain(plan);
  return false;
}

void Arbiter::LapseOffers(Clock::time_point now) {
  for (KnownClaim& one : claims_) {
    if (one.offered == 0 || now < one.offered_at + machine_.patience) continue;
    one.offered = 0;
    one.sated = !one.grows;
  }
}

void Arbiter::AskBack(const SeatPlan& plan, Clock::time_point now) {
  for (size_t i = 0; i < claims_.size(); ++i) {
    KnownClaim& one = claims_[i];
    const SeatPlan::Line& line = plan.line(i);
    if (one.workers() == 0 || line.workers >= std::min(one.asked_for, one.workers())) continue;
    if (!line.yields_to) continue;
    one.asked_for = line.workers;
    one.asked_at = now;
    one.pausing = line.workers == 0;
    one.offered = 0;
    one.why = "makes room for " + claims_[*line.yields_to].wish.who;
    orders_.push_back(
        {.kind = one.pausing ? ArbiterOrder::Kind::kPause : ArbiterOrder::Kind::kShrink,
         .claim = one.number,
         .workers = line.workers,
         .why = one.why});
  }
}

void Arbiter::Grant(KnownClaim& one, int32_t workers, Clock::time_point now) {
  std::vector<std::string> devices = FreeDevices();
  auto next = devices.begin();
  std::vector<PoolSeat> seats;
  seats.resize(size_t(workers));
  for (PoolSeat& seat : seats) {
    for (int64_t i = 0; i < one.wish.per_worker.devices && next != devices.end(); ++i) {
      seat.devices.push_back(*next++);
    }
  }
  one.seats.insert(one.seats.end(), seats.begin(), seats.end());
  one.asked_for = one.workers();
  if (std::exchange(one.paused, false)) one.rests_until = now + machine_.rest;
  one.waits = false;
  one.why.clear();
  orders_.push_back(
      {.kind = ArbiterOrder::Kind::kGrant, .claim = one.number, .seats = std::move(seats)});
}

// `more` workers have room besides those that it has.
void Arbiter::Offer(KnownClaim& one, int32_t more, Clock::time_point now) {
  if (more > 0 && one.grows) {
    one.grows = false;
    Grant(one, 1, now);
    one.offered_at = now;
    --more;
  }
  const int32_t offered = more > 0 ? one.workers() + more : 0;
  if (offered == one.offered) return;
  one.offered = offered;
  if (offered == 0) return;
  one.offered_at = now;
  orders_.push_back({.kind = ArbiterOrder::Kind::kOffer, .claim = one.number, .workers = offered});
}

void Arbiter::Explain(const SeatPlan& plan) {
  const Amount free = Free();
  for (size_t i = 0; i < claims_.size(); ++i) {
    KnownClaim& one = claims_[i];
    if (!one.waits) continue;
    std::string why = held_until_.empty() ? WhyItWaits(machine_, claims_, plan, free, i)
                                          : "waiting until " + held_until_;
    if (why == one.why) continue;
    one.why = std::move(why);
    orders_.push_back({.kind = ArbiterOrder::Kind::kWait, .claim = one.number, .why = one.why});
  }
}

Deadline Arbiter::NextLook(Clock::time_point now) const {
  Deadline next = kNever;
  const auto at = [&](Clock::time_point time) {
    if (time > now) next = std::min(next, time);
  };
  for (const KnownClaim& one : claims_) {
    if (one.waits) at(one.waits_since + machine_.patience);
    if (one.yields()) at(one.asked_at + machine_.rest);
    if (one.offered > 0) at(one.offered_at + machine_.patience);
    if (one.workers() > 0) at(one.rests_until);
  }
  return next;
}

}  // namespace protium
