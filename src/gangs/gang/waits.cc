// SPDX-License-Identifier: Apache-2.0
#include "gang/waits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "protium/fields.h"

namespace protium {
namespace {

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::chrono::milliseconds BeatOf(double deadline) {
  const auto quarter = std::chrono::milliseconds(static_cast<int64_t>(deadline * 250));
  return std::clamp(quarter, std::chrono::milliseconds(1), std::chrono::milliseconds(1000));
}

void RankSight::OnBeat(const Json& beat, Clock::time_point now) {
  heard = now;
  TaskSight sight;
  const auto found = beat.find("doing");
  if (found == beat.end() || !FieldsFromJson(*found, "doing", sight).ok()) return;
  doing = std::move(sight);
  looked = now;
}

double RankSight::SecondsAt(Clock::time_point now) const {
  return doing.seconds + Seconds(now - looked);
}

std::string RankSight::AtWhat(Clock::time_point now) const {
  const std::string phase = doing.phase.empty() ? "its own code" : doing.phase;
  return fmt::format("{:.1f} s in {}", SecondsAt(now), phase);
}

std::vector<LateRank> FindLate(const std::vector<WatchedRank>& ranks, const WaitTerms& terms,
                               Clock::time_point now) {
  const double patience = std::max(terms.deadline / 10, 2 * Seconds(terms.beat));
  std::vector<int32_t> waiting;
  std::vector<WatchedRank> late;
  double seconds = 0;
  for (const WatchedRank& each : ranks) {
    const TaskSight& doing = each.sight->doing;
    const double at = each.sight->SecondsAt(now);
    const bool silent = terms.IsSilent(*each.sight, now);
    if (!silent && doing.call == kForInput) continue;
    if (!silent && !doing.call.empty()) {
      waiting.push_back(each.rank);
      seconds = std::max(seconds, at);
    } else if (at >= patience) {
      late.push_back(each);
    }
  }
  if (seconds < patience) return {};
  const std::string others =
      fmt::format("rank{} {}", PluralOf(waiting.size()), fmt::join(waiting, ", "));
  std::vector<LateRank> told;
  for (const WatchedRank& each : late) {
    if (Seconds(now - each.sight->warned) < terms.deadline) continue;
    each.sight->warned = now;
    told.push_back({each, others, seconds});
  }
  return told;
}

Warning LateWarning(const LateRank& late, const std::string& who, const std::string& at_what,
                    const WaitTerms& terms) {
  const char* const then = terms.replaces_hung ? "it counts as dead" : "the run ends";
  return {fmt::format("{} has kept {} waiting for {:.1f} s ({}); after {:g} s (gang.deadline) {}",
                      who, late.waiting, late.seconds, at_what, terms.deadline, then)};
}

std::string KeptWaiting(const std::string& at_what, const WaitTerms& terms) {
  return fmt::format("kept the others waiting for {:g} seconds ({})", terms.deadline, at_what);
}

}  // namespace protium
