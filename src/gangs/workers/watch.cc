// SPDX-License-Identifier: Apache-2.0
#include "workers/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "protium/events.h"

namespace protium {
namespace {

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

RankSight& Watch::Sight(const Member& member, Clock::time_point now) {
  const auto [found, is_new] = sights_.try_emplace(&member);
  if (is_new) found->second.Begin(now);
  return found->second;
}

void Watch::Begin(const Member& member, Clock::time_point now) {
  sights_.erase(&member);
  Sight(member, now);
}

void Watch::Heard(const Member& member, const Frame& frame, Clock::time_point now) {
  RankSight& sight = Sight(member, now);
  sight.heard = now;
  if (frame.type == "beat") sight.OnBeat(frame.head, now);
}

bool Watch::IsSilent(const Member& member, Clock::time_point now) {
  return Seconds(now - Sight(member, now).heard) >= spec_.deadline;
}

std::vector<Member*> Watch::Silent(const std::vector<Member*>& running, Clock::time_point now) {
  std::vector<Member*> silent = running;
  std::erase_if(silent, [&](const Member* each) { return !IsSilent(*each, now); });
  return silent;
}

RankFailure Watch::Silence(const Member& member, Clock::time_point now) {
  const double quiet = Seconds(now - Sight(member, now).heard);
  return member.Failure(RankFailure::Kind::kSilent,
                        Fail({.exit = Exit::kStalled,
                              .what = fmt::format("was silent for {:.1f} seconds", quiet),
                              .why = member.WhyStill(true)}),
                        now);
}

std::string Watch::AtWhat(const Member& member, bool silent, Clock::time_point now) {
  // Its last report may be older than that.
  const std::string why = member.WhyStill(silent);
  return why.empty() ? Sight(member, now).AtWhat(now) : why;
}

void Watch::Warn(const std::vector<Member*>& members, Clock::time_point now) {
  if (!spec_.gang()) return WarnOfQuiet(members, now);
  const WaitTerms terms = spec_.wait_terms();
  std::vector<WatchedRank> ranks;
  for (const Member* each : members) ranks.push_back({each->rank(), &Sight(*each, now)});
  for (const LateRank& each : FindLate(ranks, terms, now)) {
    const Member& late = **std::ranges::find(members, each.late.rank, &Member::rank);
    late.Send(late.Head("where"));
    const bool silent = terms.IsSilent(*each.late.sight, now);
    call_.Send(
        LateWarning(each, "rank " + std::to_string(late.rank()), AtWhat(late, silent, now), terms));
  }
}

void Watch::WarnOfQuiet(const std::vector<Member*>& members, Clock::time_point now) {
  const double patience = std::max(spec_.deadline / 10, 2 * Seconds(spec_.beat()));
  for (const Member* each : members) {
    RankSight& sight = Sight(*each, now);
    const double quiet = Seconds(now - sight.heard);
    if (quiet < patience || Seconds(now - sight.warned) < spec_.deadline) continue;
    sight.warned = now;
    call_.Send(Warning{fmt::format(
        "worker {} of task \"{}\" has given no sign of life for "
        "{:.1f} s ({}); after {:g} s (gang.deadline) it counts as "
        "dead",
        each->rank(), spec_.task.task, quiet, AtWhat(*each, true, now), spec_.deadline)});
  }
}

std::vector<RankFailure> Watch::Suspects(const std::vector<Member*>& running,
                                         const std::vector<Member*>& awaited,
                                         Clock::time_point now) {
  const WaitTerms terms = spec_.wait_terms();
  std::vector<RankFailure> suspects;
  for (const Member* each : running) {
    if (terms.IsSilent(Sight(*each, now), now)) suspects.push_back(Silence(*each, now));
  }
  if (!suspects.empty()) return suspects;
  for (const Member* each : awaited) {
    const RankSight& sight = Sight(*each, now);
    if (!sight.doing.call.empty() || sight.SecondsAt(now) < spec_.deadline / 2) continue;
    suspects.push_back(each->Failure(
        RankFailure::Kind::kSilent,
        Fail({.exit = Exit::kStalled, .what = KeptWaiting(AtWhat(*each, false, now), terms)}),
        now));
  }
  return suspects;
}

}  // namespace protium
