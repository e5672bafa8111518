// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "protium/events.h"

namespace protium {
namespace {

// Its number is that of a process on its host.
std::string ExecutorOf(const SeenRank& seen) {
  return fmt::format("{} on {}", seen.executor, seen.host);
}

}  // namespace

LeftOut::LeftOut(const GangSpec& gang)
    : after_(gang.quarantine),
      probation_(std::min(gang.probation, 1e9)),
      terms_{.deaths = after_,
             .probation = std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(probation_))} {}

void LeftOut::Died(const SeenRank& seen, Clock::time_point now, const Call& call) {
  if (after_ == 0 || seen.host.empty()) return;
  const std::string executor = ExecutorOf(seen);
  Warn("executor " + executor, executors_.Died(executor, terms_, now), call);
  if (std::exchange(last_[seen.host], executor) == executor) return;
  Warn("host " + seen.host, hosts_.Died(seen.host, terms_, now), call);
}

void LeftOut::Warn(const std::string& what, int32_t deaths, const Call& call) const {
  if (deaths == 0) return;
  call.Send(
      Warning{fmt::format("{} is left out for {:g} s (gang.probation): {} worker{} died "
                          "there (gang.quarantine)",
                          what, probation_, deaths, PluralOf(deaths))});
}

bool LeftOut::Holds(const SeenRank& seen, Clock::time_point now) const {
  return hosts_.Holds(seen.host, now) || executors_.Holds(ExecutorOf(seen), now);
}

}  // namespace protium
