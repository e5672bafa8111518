// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for others, as the watching thread sees them. A worker says with every beat what
// its task is at (gang/doing.h): it waits in a collective call, or is busy with something. Where
// some wait and others are busy or silent, those are what the first wait for. A person is told so
// after a tenth of gang.deadline, and the late rank writes its stack to its log, where a report of
// its failure finds it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fault.h"
#include "local/workers/map_run.h"

namespace protium {

void MapRun::Look(Member& member, const Frame& beat) {
  TaskSight sight;
  const auto doing = beat.head.find("doing");
  if (doing == beat.head.end() || !FieldsFromJson(*doing, "doing", sight).ok()) return;
  member.doing = std::move(sight);
  member.looked = Clock::now();
}

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
  if (!gang() || call_.stop.stop_requested()) return;
  const auto now = Clock::now();
  const double beats = 2 * std::chrono::duration<double>(spec_.beat()).count();
  const double patience = std::max(spec_.deadline / 10, beats);
  std::vector<int32_t> waiting;
  std::vector<Member*> late;
  double seconds = 0;
  std::unique_lock lock(mutex_);
  const std::vector<Member*> members = InGeneration();
  lock.unlock();
  for (Member* each : members) {
    const double at = each->SecondsAt(now);
    const bool silent = now - each->heard > 4 * spec_.beat();
    if (!silent && each->doing.call == kForInput) continue;
    if (!silent && !each->doing.call.empty()) {
      waiting.push_back(each->rank);
      seconds = std::max(seconds, at);
    } else if (at >= patience) {
      late.push_back(each);
    }
  }
  if (seconds < patience) return;
  const std::string others =
      fmt::format("rank{} {}", waiting.size() == 1 ? "" : "s", fmt::join(waiting, ", "));
  for (Member* each : late) Warn(*each, others, seconds);
}

// Once in a deadline: a rank that is only slow would fill the log.
void MapRun::Warn(Member& late, const std::string& waiting, double seconds) {
  const auto now = Clock::now();
  if (now < late.warned_at + std::chrono::duration<double>(spec_.deadline)) return;
  late.warned_at = now;
  late.Tell(late.Head(spec_, "where"));
  const bool silent = now - late.heard > 4 * spec_.beat();
  const std::string then = ReplacesHung() ? "it counts as dead" : "the run ends";
  call_.Tell({{"event", "warning"},
              {"message",
               fmt::format("rank {} has kept {} waiting for {:.1f} s ({}); after {:g} s "
                           "(gang.deadline) {}",
                           late.rank, waiting, seconds, late.Hang(silent), spec_.deadline, then)}});
}

// If all failures are about other ranks, a busy rank that has not come to what they waited for is
// taken for their cause.
void MapRun::FindHung() {
  if (!IsAboutOthers(FindCause(failures_))) return;
  const auto now = Clock::now();
  for (const Member* each : InGeneration()) {
    if (!each->doing.call.empty() || each->SecondsAt(now) < spec_.deadline / 2) continue;
    failures_.push_back(each->Failure(
        spec_, RankFailure::Kind::kSilent,
        protium::Fail({.exit = Exit::kStalled,
                       .what = fmt::format("kept the others waiting for {:g} seconds ({})",
                                           spec_.deadline, each->Hang(false))}),
        Now()));
  }
}

}  // namespace protium
