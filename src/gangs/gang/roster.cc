// SPDX-License-Identifier: Apache-2.0
#include "gang/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace protium {

Roster::Roster(const RosterLimits& limits, int32_t members, Clock::time_point now)
    : limits_(limits), wanted_(limits.max) {
  PT_CHECK(members >= 1);
  for (int32_t m = 0; m < members; ++m) {
    members_[m] = {.entered = 0};
    newest_.members.push_back(m);
  }
  Decide(now);
}

std::vector<int32_t> Roster::All(State state) const {
  std::vector<int32_t> all;
  for (const auto& [number, member] : members_) {
    if (member.state == state) all.push_back(number);
  }
  return all;
}

std::vector<int32_t> Roster::Survivors() const {
  std::vector<int32_t> left = newest_.members;
  std::erase_if(left, [&](int32_t each) { return Is(each, State::kGone); });
  return left;
}

// Returns the members of a generation that would be called now: those of the newest that live and
// stay, and newcomers that are prepared. A member with notice stays as long as there would be too
// few without it.
std::vector<int32_t> Roster::Next() const {
  if (limits_.fixed_ranks) return NextOfFixed();
  std::vector<int32_t> next, leaving;
  for (const int32_t each : Survivors()) {
    (members_.at(each).leaving ? leaving : next).push_back(each);
  }
  for (const int32_t each : All(State::kPrepared)) {
    if (int32_t(next.size()) < wanted_ && !members_.at(each).leaving) next.push_back(each);
  }
  while (int32_t(next.size()) < limits_.min && !leaving.empty()) {
    next.push_back(leaving.back());
    leaving.pop_back();
  }
  // The last to come are the first to go: rank 0, which writes checkpoints, stays.
  if (int32_t(next.size()) > wanted_) next.resize(size_t(wanted_));
  return next;
}

// Without the ranks that nobody can take yet.
std::vector<int32_t> Roster::NextOfFixed() const {
  const std::vector<int32_t> prepared = All(State::kPrepared);
  std::vector<int32_t> next;
  auto taker = prepared.begin();
  for (const int32_t each : newest_.members) {
    if (!Is(each, State::kGone)) {
      next.push_back(each);
    } else if (taker != prepared.end()) {
      next.push_back(*taker++);
    }
  }
  return next;
}

bool Roster::AllEntered() const {
  return std::ranges::all_of(
      newest_.members, [&](int32_t each) { return members_.at(each).entered == newest_.number; });
}

void Roster::Shared(int32_t member, Clock::time_point now) {
  members_.at(member).shared = true;
  bends_ =
      std::ranges::all_of(newest_.members, [&](int32_t each) { return members_.at(each).shared; });
  Decide(now);
}

void Roster::Prepared(int32_t member, Clock::time_point now) {
  if (Is(member, State::kStarting)) members_.at(member).state = State::kPrepared;
  Decide(now);
}

void Roster::Entered(int32_t member, int64_t generation, int64_t step, Clock::time_point now) {
  Member& one = members_.at(member);
  one.entered = std::max(one.entered, generation);
  if (step > step_) {
    step_ = step;
    fruitless_ = 0;
  }
  Decide(now);
}

void Roster::Gone(int32_t member, Clock::time_point now) {
  Member& one = members_.at(member);
  const State was = std::exchange(one.state, State::kGone);
  if (was == State::kGone) return;
  if (was == State::kStarting || was == State::kPrepared) {
    ++vain_;
  } else if (std::ranges::find(newest_.members, member) != newest_.members.end()) {
    ++fruitless_;
  }
  Decide(now);
}

void Roster::Finished(int32_t member, Clock::time_point now) {
  // A member that was called out of the gang ends in the same way.
  if (std::ranges::find(newest_.members, member) == newest_.members.end()) {
    members_.at(member).state = State::kGone;
  } else {
    finished_ = true;
  }
  Decide(now);
}

void Roster::Notice(int32_t member, Clock::time_point now) {
  members_.at(member).leaving = true;
  Decide(now);
}

void Roster::Want(int32_t members, Clock::time_point now) {
  wanted_ = std::clamp(members, limits_.min, limits_.max);
  Decide(now);
}

void Roster::Look(Clock::time_point now) { Decide(now); }

Deadline Roster::due() const {
  return short_since_ && !closed() ? *short_since_ + limits_.patience : kNever;
}

void Roster::Decide(Clock::time_point now) {
  if (closed()) return;
  const std::vector<int32_t> left = Survivors();
  const bool dead = left.size() < newest_.members.size();
  if (!bends_) {
    if (dead) End("a rank died while rows were loaded");
    return;
  }
  // A newcomer that was called has the weights only after it has entered.
  if (std::ranges::none_of(left, [&](int32_t m) { return members_.at(m).entered >= 0; })) {
    return End("no rank is left that has the weights");
  }
  if (dead && fruitless_ > limits_.fruitless) {
    return End(
        fmt::format("{} workers died one after another without a step between them", fruitless_));
  }
  if (limits_.fixed_ranks && Is(newest_.members.front(), State::kGone)) {
    return End("no other process takes rank 0");
  }
  if (dead) {
    AfterDeath(now);
  } else if (AllEntered() && !limits_.fixed_ranks) {
    AtEdge();
  }
  StartMissing();
}

// Prepared newcomers come in with the same call: another change right after it would cost a second
// pause.
void Roster::AfterDeath(Clock::time_point now) {
  std::vector<int32_t> next = Next();
  if (int32_t(next.size()) >= limits_.min) {
    short_since_.reset();
    return Call(std::move(next), true);
  }
  if (!short_since_) short_since_ = now;
  const bool vain = vain_ > limits_.fruitless;
  if (!vain && now - *short_since_ < limits_.patience) return;
  End(fmt::format("{} worker{} left of at least {}, and no other came{}", next.size(),
                  next.size() == 1 ? " is" : "s are", limits_.min,
                  vain ? fmt::format(": {} died as they started", vain_) : " in time"));
}

void Roster::AtEdge() {
  std::vector<int32_t> next = Next();
  // Newcomers alone would not have the weights.
  const bool some = std::ranges::any_of(next, [&](int32_t m) { return Is(m, State::kIn); });
  const bool same = std::ranges::is_permutation(next, newest_.members);
  if (some && !same) Call(std::move(next), false);
}

void Roster::StartMissing() {
  if (closed()) return;
  const std::vector<int32_t> starting = All(State::kStarting), prepared = All(State::kPrepared);
  auto coming = int32_t(starting.size() + prepared.size());
  const int32_t wanted = wanted_ + (limits_.fixed_ranks ? 1 : 0);
  const auto in = int32_t(
      std::ranges::count_if(Survivors(), [&](int32_t m) { return !members_.at(m).leaving; }));
  for (const std::vector<int32_t>* some : {&starting, &prepared}) {
    for (auto each = some->rbegin(); each != some->rend() && in + coming > wanted; ++each) {
      members_.at(*each).state = State::kGone;
      orders_.push_back({.kind = RosterOrder::Kind::kDismiss, .member = *each});
      --coming;
    }
  }
  if (vain_ > limits_.fruitless) return;
  for (; in + coming < wanted; ++coming) {
    const auto member = int32_t(members_.size());
    members_[member] = {.state = State::kStarting};
    orders_.push_back({.kind = RosterOrder::Kind::kStart, .member = member});
  }
}

void Roster::Call(std::vector<int32_t> members, bool cut) {
  for (const int32_t each : members) {
    Member& member = members_.at(each);
    if (member.state == State::kPrepared) vain_ = 0;
    member.state = State::kIn;
  }
  newest_ = {.number = newest_.number + 1, .members = std::move(members), .cut = cut};
  orders_.push_back({.kind = RosterOrder::Kind::kCall, .generation = newest_});
}

void Roster::End(std::string why) {
  ended_ = true;
  orders_.push_back({.kind = RosterOrder::Kind::kEnd, .why = std::move(why)});
}

}  // namespace protium
