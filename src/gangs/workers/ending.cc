// SPDX-License-Identifier: Apache-2.0
#include "workers/ending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "protium/events.h"

namespace protium {
namespace {

// A stop that takes no longer than this is not reported.
constexpr std::chrono::seconds kQuietStop{2};

// "ranks 0, 2"
std::string NamesOf(const std::vector<Member*>& members, bool gang) {
  std::vector<int32_t> ranks;
  for (const Member* each : members) ranks.push_back(each->rank());
  return fmt::format("{}{} {}", gang ? "rank" : "worker", PluralOf(ranks.size()),
                     fmt::join(ranks, ", "));
}

}  // namespace

// Ranks often report that a peer is gone before the peer's own end is seen.
void Ending::Fail(RankFailure failure, Clock::time_point now) {
  settled_ = std::min(settled_, IsAboutOthers(failure) ? now + kSettleTime : now);
  failures_.push_back(std::move(failure));
}

void Ending::FailNow(std::vector<RankFailure> failures, Clock::time_point now) {
  Add(std::move(failures));
  settled_ = now;
}

void Ending::Add(std::vector<RankFailure> causes) {
  std::ranges::move(causes, std::back_inserter(failures_));
}

// A rank in a long step, or one that writes a large checkpoint, has as long as it may keep others
// waiting.
void Ending::Stop(Clock::time_point now) {
  const auto limit = std::chrono::duration<double>(std::min(spec_.deadline, 1e6));
  killed_ = now + std::chrono::duration_cast<Clock::duration>(limit);
  printed_ = now + kQuietStop;
}

void Ending::PrintStopping(const std::vector<Member*>& running, Clock::time_point now) {
  if (now < printed_) return;
  printed_ = kNever;
  call_.Send(
      Note{fmt::format("stopping: {} may take up to {:g} s (gang.deadline) to "
                       "finish; a second Ctrl-C does not wait for that",
                       NamesOf(running, spec_.gang()), spec_.deadline)});
}

bool Ending::LacksCause() const {
  return !failures_.empty() && IsAboutOthers(FindCause(failures_));
}

AttemptResult Ending::Outcome(const std::vector<Member*>& running, const std::optional<Status>& fed,
                              Clock::time_point now) const {
  if (!failures_.empty()) return OutcomeOfFailures();
  if (fed && !fed->ok() && !call_.stop.stop_requested()) return {*fed, false};
  if (running.empty()) return {};
  if (now >= call_.deadline) {
    return {protium::Fail({.exit = Exit::kStalled,
                           .what = "task \"" + spec_.task.task + "\" did not finish in time"}),
            false};
  }
  return OutcomeOfStop(running, now);
}

AttemptResult Ending::OutcomeOfFailures() const {
  const RankFailure& cause = FindCause(failures_);
  // Ranks that stopped because they were asked to have not failed.
  if (call_.stop.stop_requested() && FaultOf(cause.status).exit == Exit::kStopped) {
    return {cause.status, false};
  }
  const bool kept = cause.kind == RankFailure::Kind::kSilent && !spec_.replaces_hung();
  return {ReportFailure(failures_), RestartMayHelp(cause) && !kept};
}

AttemptResult Ending::OutcomeOfStop(const std::vector<Member*>& running,
                                    Clock::time_point now) const {
  Fault fault{.exit = Exit::kStopped, .what = "task \"" + spec_.task.task + "\" was stopped"};
  if (now >= killed_) {
    fault.why = fmt::format("{} did not finish within {:g} s (gang.deadline) and saved nothing",
                            NamesOf(running, spec_.gang()), spec_.deadline);
  }
  return {protium::Fail(std::move(fault)), false};
}

}  // namespace protium
