// SPDX-License-Identifier: Apache-2.0
#include "gang/bending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "events/events.h"
#include "gang/wish.h"

namespace protium {
namespace {

// A failed collective call has a death as its cause; the death is noticed within this time.
constexpr std::chrono::seconds kDoubtTime{1};

// "rank 2", "ranks 0, 1".
std::string RanksText(const std::set<int32_t>& ranks) {
  return fmt::format("rank{} {}", PluralOf(ranks.size()), fmt::join(ranks, ", "));
}

bool Contains(const std::vector<int32_t>& members, int32_t member) {
  return std::ranges::find(members, member) != members.end();
}

// Returns the hosts of members that all report that they cannot reach others, with the members on
// each; empty if any reports something else. Who reports it first is chance: neither the choice of
// those that go on nor the text for the user may depend on it.
std::map<std::string, std::set<int32_t>> HostsApart(std::span<const RankFailure> doubts) {
  std::map<std::string, std::set<int32_t>> hosts;
  for (const RankFailure& each : doubts) {
    if (!IsAboutPeers(each.status)) return {};
    hosts[each.host].insert(each.rank);
  }
  return hosts;
}

// Returns the host with most members; of equals that of the lowest member, which was in first.
const std::set<int32_t>& Largest(const std::map<std::string, std::set<int32_t>>& hosts) {
  const auto less = [](const auto& a, const auto& b) {
    const std::set<int32_t>&one = a.second, &other = b.second;
    return one.size() != other.size() ? one.size() < other.size() : *one.begin() > *other.begin();
  };
  return std::ranges::max_element(hosts, less)->second;
}

}  // namespace

BendingGang::BendingGang(BendingSpec spec, Crew& crew, const protium::Call& call)
    : spec_(std::move(spec)),
      crew_(crew),
      call_(call),
      roster_(spec_.limits, spec_.members, Clock::now()),
      calling_(roster_.newest().members),
      wanted_(spec_.limits.max),
      allowed_(spec_.limits.max) {
  entered_.insert(calling_.begin(), calling_.end());
}

void BendingGang::Shared(int32_t member) {
  roster_.Shared(member, Clock::now());
  Obey();
}

void BendingGang::Prepared(int32_t member) {
  roster_.Prepared(member, Clock::now());
  Obey();
}

void BendingGang::Entered(int32_t member, int64_t generation, int64_t step) {
  entered_.insert(member);
  if (step > furthest_) {
    furthest_ = step;
    losses_.clear();
  }
  roster_.Entered(member, generation, step, Clock::now());
  Obey();
}

int32_t BendingGang::RankOf(int32_t member) const {
  const auto& members = newest().members;
  const auto found = std::ranges::find(members, member);
  return fixed() && found != members.end() ? int32_t(found - members.begin()) : member;
}

void BendingGang::Notice(int32_t member) {
  // Nothing is lost with it, so nobody waits for the end of its step.
  if (fixed()) {
    return Lost(crew_.Describe(member, RankFailure::Kind::kEnded,
                               Fail({.what = "was asked to end (SIGTERM)"})));
  }
  why_ = fmt::format("rank {} has to end", member);
  roster_.Notice(member, Clock::now());
  Obey();
}

// A rank's error about others arrives before the end of the process that it is about, or because a
// new generation took that process away.
void BendingGang::CallFailed(int32_t member, int64_t generation, const Status& status) {
  if (status.ok() || newest().number > generation) return;
  if (closed()) return LeaveBehind(member, status);
  // A death explains it, and the next call waits for others.
  if (roster_.due() != kNever) return;
  doubts_.push_back(crew_.Describe(member, RankFailure::Kind::kAnswered, status));
  doubted_ = std::min(doubted_, Clock::now() + kDoubtTime);
}

// A member that was called out of the gang ends in the same way as one that is done.
void BendingGang::Finished(int32_t member) {
  roster_.Finished(member, Clock::now());
  Obey();
}

std::vector<int32_t> BendingGang::Needed() const {
  std::vector<int32_t> needed = newest().members;
  std::erase_if(needed, [&](int32_t each) { return !HasEntered(each); });
  return needed;
}

// The result exists when rank 0 is done; nobody needs the others after that.
bool BendingGang::HasResult() const { return crew_.IsDone(newest().members.front()); }

// The member waits for a call, and some other one is done already.
void BendingGang::LeaveBehind(int32_t member, const Status& status) {
  if (HasResult()) return SendAwayAll();
  crew_.Fail(crew_.Describe(member, RankFailure::Kind::kAnswered, status));
}

void BendingGang::SendAwayAll() {
  for (const int32_t each : newest().members) {
    if (!crew_.IsDone(each)) crew_.Dismiss(each);
  }
}

void BendingGang::NotStarted(int32_t member) { roster_.Gone(member, Clock::now()); }

void BendingGang::Lost(RankFailure failure) {
  const int32_t member = failure.rank;
  crew_.CountLoss(failure);
  if (!bends()) return crew_.Fail(std::move(failure));
  if (closed()) {
    if (member != newest().members.front() && HasResult()) return SendAwayAll();
    return HasEntered(member) ? crew_.Fail(std::move(failure)) : void();
  }
  ReportLoss(failure);
  failure.rank = RankOf(member);
  losses_.push_back(std::move(failure));
  ForgetDoubts();
  crew_.Dismiss(member);
  roster_.Gone(member, Clock::now());
  Obey();
  ReportShort();
}

void BendingGang::ReportLoss(const RankFailure& failure) {
  const int32_t member = failure.rank, rank = RankOf(member);
  const std::string what = FaultOf(failure.status).what;
  // Of fixed ranks one that waits for a rank is nobody's loss.
  if (fixed() && rank == member && !HasEntered(member)) return;
  why_ = fmt::format("rank {}{} {}", rank, failure.server ? ", a server," : "", what);
  call_.Send(RankLost{rank, what, !HasEntered(member)});
}

// The members that are left wait without sending anything.
void BendingGang::ReportShort() {
  const bool waits = roster_.due() != kNever;
  if (!std::exchange(short_, waits) && waits) {
    const double patience = std::chrono::duration<double>(spec_.limits.patience).count();
    if (fixed()) {
      return call_.Send(
          Note{fmt::format("the gang waits for a process that takes the rank, {:g} s "
                           "at most (gang.patience)",
                           patience)});
    }
    call_.Send(
        Note{fmt::format("fewer than {} are left (gang.workers): the gang waits for "
                         "others, {:g} s at most (gang.patience)",
                         Counted(size_t(spec_.limits.min), "worker"), patience)});
  }
}

void BendingGang::Look() {
  const auto now = Clock::now();
  if (now >= doubted_ && !closed()) SettleDoubts();
  ReadWish();
  WantAllowed();
  if (now >= roster_.due()) roster_.Look(now);
  Obey();
}

void BendingGang::ForgetDoubts() {
  doubts_.clear();
  doubted_ = kNever;
}

// Nobody has died, and yet collective calls failed. A member that does not report this itself
// hangs, and is replaced like a dead one; if all report it, they disagree, and the attempt fails. A
// wait that took its whole deadline has no other explanation; before that, a rank may be in a long
// step.
void BendingGang::SettleDoubts() {
  const bool late = std::ranges::any_of(
      doubts_, [](const RankFailure& each) { return FaultOf(each.status).exit == Exit::kStalled; });
  std::vector<int32_t> quiet, hung;
  for (const int32_t each : newest().members) {
    const bool said = std::ranges::find(doubts_, each, &RankFailure::rank) != doubts_.end();
    if (!said && !crew_.IsDone(each)) quiet.push_back(each);
  }
  std::ranges::copy_if(quiet, std::back_inserter(hung),
                       [&](int32_t each) { return late || crew_.MayHang(each); });
  if (hung.empty() && !quiet.empty()) {
    doubted_ = Clock::now() + kDoubtTime;
    return;
  }
  const std::vector<RankFailure> doubts = std::exchange(doubts_, {});
  doubted_ = kNever;
  if (hung.empty()) {
    if (LeaveCutOff(doubts)) return;
    for (const RankFailure& each : doubts) crew_.Fail(each);
    return;
  }
  const std::string what =
      late ? fmt::format("kept the others waiting for {:g} seconds", spec_.deadline)
           : "gives no sign of life";
  for (const int32_t each : hung) {
    RankFailure failure = crew_.Describe(each, RankFailure::Kind::kSilent,
                                         Fail({.exit = Exit::kStalled, .what = what}));
    spec_.replace_hung ? Lost(std::move(failure)) : crew_.Fail(std::move(failure));
  }
}

// All live and report that others are out of reach, and they are on several hosts: the network
// between these is cut. One host goes on; the members of the others are lost, and come back as
// newcomers if they can.
bool BendingGang::LeaveCutOff(const std::vector<RankFailure>& doubts) {
  const auto hosts = HostsApart(doubts);
  if (hosts.size() < 2) return false;
  const std::set<int32_t>& kept = Largest(hosts);
  for (const RankFailure& each : doubts) {
    if (kept.contains(each.rank)) continue;
    const std::string what = fmt::format("on {} is cut off from {}", each.host, RanksText(kept));
    Lost(crew_.Describe(
        each.rank, RankFailure::Kind::kSilent,
        Fail({.exit = Exit::kRemote, .what = what, .why = FaultOf(each.status).what})));
  }
  return true;
}

void BendingGang::ReadWish() {
  if (spec_.wish.empty()) return;
  std::error_code missing;
  const auto written = std::filesystem::last_write_time(spec_.wish, missing);
  if (missing || written == wished_) return;
  wished_ = written;
  const int32_t wanted = protium::ReadWish(spec_.wish);
  if (wanted == 0) return;
  why_ = fmt::format("{} wanted", Counted(size_t(wanted), "worker"));
  wanted_ = wanted;
}

void BendingGang::WantAllowed() {
  const int32_t most = spec_.most ? spec_.most() : spec_.limits.max;
  const int32_t now = std::min(wanted_, most);
  if (now == std::exchange(allowed_, now)) return;
  if (most < wanted_) why_ = "a gang of a higher priority needs room";
  roster_.Want(now, Clock::now());
}

void BendingGang::Obey() {
  for (const RosterOrder& order : roster_.Orders()) {
    switch (order.kind) {
      case RosterOrder::Kind::kStart:
        crew_.Start(order.member);
        break;
      case RosterOrder::Kind::kCall:
        CallTo(order.generation);
        break;
      case RosterOrder::Kind::kDismiss:
        crew_.Dismiss(order.member);
        break;
      case RosterOrder::Kind::kEnd:
        End(order.why);
        break;
    }
  }
}

void BendingGang::CallTo(const Generation& generation) {
  ForgetDoubts();
  short_ = false;
  std::vector<int32_t> leaving = std::exchange(calling_, generation.members);
  std::erase_if(leaving, [&](int32_t each) { return Contains(generation.members, each); });
  const Status called = crew_.Call(generation, leaving, why_);
  if (!called.ok()) return End(FaultOf(called).what);
  ReportChange(generation);
}

void BendingGang::ReportChange(const Generation& generation) {
  if (fixed()) {
    return call_.Send(Note{fmt::format("the gang goes on: {}; another process has taken its rank",
                                       std::exchange(why_, {}))});
  }
  call_.Send(GangChanged{generation.number, int64_t(generation.members.size()), generation.members,
                         generation.cut, why_});
  const std::string goes_on = Counted(generation.members.size(), "worker");
  const std::string why = why_.empty() ? "more workers have joined" : std::exchange(why_, {});
  call_.Send(Note{fmt::format("the gang continues with {}: {}", goes_on, why)});
}

// The attempt fails with the causes of its members' deaths, followed by the reason why the others
// could not go on.
void BendingGang::End(const std::string& why) {
  const std::string told = "the gang cannot go on: " + why;
  call_.Send(Note{told});
  for (RankFailure& each : losses_) {
    Fault fault = FaultOf(each.status);
    fault.why += (fault.why.empty() ? "" : "; ") + told;
    each.status = Fail(std::move(fault));
  }
  crew_.GiveUp(std::exchange(losses_, {}), why);
}

}  // namespace protium
