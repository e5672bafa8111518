// SPDX-License-Identifier: Apache-2.0
// Ranks of a run that keep others waiting (gang/waits.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "protium/events.h"
#include "workers/map_run.h"

namespace protium {

// A newcomer that prepares itself keeps nobody waiting.
std::vector<Member*> MapRun::InGeneration() const {
  std::vector<Member*> in;
  for (const auto& each : members_) {
    const auto entered = [&] {
      const std::vector<int32_t>& newest = bend_->gang.newest().members;
      return std::ranges::find(newest, each->rank) != newest.end();
    };
    if (!each->done && each->worker && (!bend_ || entered())) in.push_back(each.get());
  }
  return in;
}

void MapRun::CheckWaits() {
  if (call_.stop.stop_requested()) return;
  if (!gang()) return CheckQuiet();
  const auto now = Clock::now();
  const WaitTerms terms = spec_.wait_terms();
  std::unique_lock lock(mutex_);
  const std::vector<Member*> members = InGeneration();
  lock.unlock();
  std::vector<WatchedRank> ranks;
  for (Member* each : members) ranks.push_back({each->rank, &each->sight});
  for (const LateRank& each : FindLate(ranks, terms, now)) {
    const Member& late = **std::ranges::find(members, each.late.rank, &Member::rank);
    late.Tell(late.Head(spec_, "where"));
    call_.Send(LateWarning(each, "rank " + std::to_string(late.rank),
                           late.Hang(terms.IsSilent(late.sight, now)), terms));
  }
}

// Without a gang nobody waits for a worker but the run.
void MapRun::CheckQuiet() {
  const auto now = Clock::now();
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const double patience = std::max(spec_.deadline / 10, 2 * seconds(spec_.beat()));
  std::lock_guard lock(mutex_);
  for (const auto& each : members_) {
    const double quiet = seconds(now - each->sight.heard);
    const bool told = seconds(now - each->sight.warned) < spec_.deadline;
    if (each->done || quiet < patience || told) continue;
    each->sight.warned = now;
    call_.Send(
        Warning{fmt::format("worker {} of task \"{}\" has given no sign of life for "
                            "{:.1f} s ({}); after {:g} s (gang.deadline) it counts as "
                            "dead",
                            each->rank, spec_.task.task, quiet, each->Hang(true), spec_.deadline)});
  }
}

// If all failures are about other ranks, a busy rank that has not come to what they waited for is
// taken for their cause.
void MapRun::FindHung() {
  if (!IsAboutOthers(FindCause(failures_))) return;
  const auto now = Clock::now();
  for (const Member* each : InGeneration()) {
    const RankSight& sight = each->sight;
    if (!sight.doing.call.empty() || sight.SecondsAt(now) < spec_.deadline / 2) continue;
    failures_.push_back(
        each->Failure(spec_, RankFailure::Kind::kSilent,
                      protium::Fail({.exit = Exit::kStalled,
                                     .what = KeptWaiting(each->Hang(false), spec_.wait_terms())}),
                      Now()));
  }
}

}  // namespace protium
