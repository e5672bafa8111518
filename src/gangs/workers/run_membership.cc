// SPDX-License-Identifier: Apache-2.0
#include "workers/run_membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "events/events.h"

namespace protium {

RunMembership::RunMembership(const Run& run, Hire hire)
    : run_(run),
      hire_(std::move(hire)),
      gang_({.limits = *run.spec.bends,
             .members = run.spec.most,
             .deadline = run.spec.deadline,
             .replace_hung = run.spec.replaces_hung(),
             .most = run.spec.most_now,
             .wish = run.spec.wish},
            static_cast<Crew&>(*this), run.call),
      seats_(run.spec),
      parts_(size_t(run.spec.most)),
      ranks_(gang_.newest().members) {}

bool RunMembership::IsIn(const Member& member) const {
  const std::vector<int32_t>& newest = gang_.newest().members;
  return std::ranges::find(newest, member.rank()) != newest.end();
}

// Servers are the last ranks.
bool RunMembership::Serves(int32_t member) const {
  const int32_t rank = gang_.RankOf(member);
  return rank < run_.spec.most && rank >= run_.spec.most - run_.spec.task.gang->servers;
}

void RunMembership::Lost(RankFailure failure) {
  failure.server = Serves(failure.rank);
  gang_.Lost(std::move(failure));
}

RankFailure RunMembership::ByRank(RankFailure failure) const {
  failure.server = Serves(failure.rank);
  failure.rank = gang_.RankOf(failure.rank);
  return failure;
}

void RunMembership::Heard(Member& member, Frame frame) {
  const int32_t number = member.rank();
  const int64_t generation = RequireWhole(frame.head, "generation").ValueOr(-1);
  if (frame.type == "share") return KeepPart(member, std::move(frame));
  if (frame.type == "prepared") return gang_.Prepared(number);
  if (frame.type == "notice") return gang_.Notice(number);
  if (frame.type == "failed") {
    const Status status = StatusFromJson(frame.head.value("status", Json::object()));
    return gang_.CallFailed(number, generation, status);
  }
  if (frame.type != "entered") return;
  gang_.Entered(number, generation, RequireWhole(frame.head, "step").ValueOr(0));
}

void RunMembership::KeepPart(const Member& member, Frame frame) {
  if (size_t(member.rank()) >= parts_.size()) return;
  parts_[size_t(member.rank())] = {std::move(frame.raw), std::move(frame.fds)};
  shared_ += 1;
  // Before the gang learns that it is elastic now. A newcomer that it starts then gets the parts on
  // its own, and a member that is called out at once has to leave the exchange first.
  if (shared_ == parts_.size()) {
    for (const int32_t each : gang_.newest().members) SendParts(*run_.members.Find(each));
  }
  gang_.Shared(member.rank());
}

void RunMembership::SendParts(const Member& member) const {
  Json head = member.Head("parts");
  head["parts"] = Json::array();
  std::string texts;
  std::vector<int> fds;
  for (const SharedPart& part : parts_) {
    head["parts"].push_back({{"bytes", part.text.size()}, {"memories", part.memories.size()}});
    texts += part.text;
    for (const UniqueFd& each : part.memories) fds.push_back(each.get());
  }
  member.Send(head, texts, fds);
}

// A member that was called out of the gang ends in the same way as one that is done.
void RunMembership::Finished(const Member& member) {
  gang_.Finished(member.rank());
  if (!gang_.closed()) return;
  const std::vector<int32_t> needed = gang_.Needed();
  for (Member* const each : run_.members.Running()) {
    if (std::ranges::find(needed, each->rank()) == needed.end()) each->Dismiss();
  }
}

void RunMembership::CountLoss(const RankFailure& failure) {
  Member* const member = run_.members.Find(failure.rank);
  if (member == nullptr || !IsDeath(failure) || failure.devices.empty()) return;
  const int32_t seat = member->place.seat;
  const bool leaves = run_.spec.died(seats_.at(seat)) && gang_.bends() && !gang_.closed();
  if (!leaves || !seats_.Leave(seat)) return;
  member->Dismiss();
  seats_.GiveBack(seat);
}

void RunMembership::Look(Clock::time_point now) {
  gang_.Look();
  const bool wants_seat = !no_seat_.empty() && !gang_.closed() && !seats_.Free(TakenSeats());
  if (wants_seat) seats_.TakeMore(now);
  for (const int32_t each : std::exchange(no_seat_, {})) Start(each);
  GiveBackSeats();
}

// If a user wants fewer workers, their seats are for other gangs. A dead member's seat is taken by
// the next one before this is called.
void RunMembership::GiveBackSeats() {
  if (!gang_.bends() || gang_.closed()) return;
  const std::vector<int32_t> spare = seats_.LeaveSpare(TakenSeats());
  for (Member* const each : run_.members.All()) {
    const bool sits_there = std::ranges::find(spare, each->place.seat) != spare.end();
    // Reaped before others may have its devices.
    if (sits_there) each->Dismiss();
  }
  for (const int32_t each : spare) seats_.GiveBack(each);
}

std::set<int32_t> RunMembership::TakenSeats() const {
  std::set<int32_t> taken;
  for (const Member* each : run_.members.Running()) taken.insert(each->place.seat);
  return taken;
}

// One that waits to take a rank needs no cores until it has that of another.
std::optional<MemberPlace> RunMembership::PlaceFor(int32_t number) const {
  if (gang_.fixed()) return MemberPlace{.rank = number, .seat = -1, .newcomer = true};
  const std::optional<int32_t> seat = seats_.Free(TakenSeats());
  if (!seat) return std::nullopt;
  return MemberPlace{.rank = number, .seat = *seat, .at = seats_.at(*seat), .newcomer = true};
}

// It loads what it needs while the others go on.
void RunMembership::Start(int32_t number) {
  if (run_.call.stop.stop_requested() || gang_.closed()) return;
  const std::optional<MemberPlace> place = PlaceFor(number);
  if (!place) return no_seat_.push_back(number);
  const auto started = hire_(*place);
  if (!started.ok()) {
    run_.call.Send(Warning{"a worker could not be started: " + FaultOf(started.status()).what});
    return gang_.NotStarted(number);
  }
  if (*started == nullptr) return;
  Member& member = **started;
  if (!gang_.fixed()) {
    run_.call.Send(MemberStarted{number, member.worker->process.pid(), member.log.string()});
  }
  member.EndInput();
  SendParts(member);
}

void RunMembership::Dismiss(int32_t number) {
  std::erase(no_seat_, number);
  if (Member* const member = run_.members.Find(number)) member->Dismiss();
}

// Makes a socket between every two of its members.
Status RunMembership::Call(const Generation& generation, const std::vector<int32_t>& leaving,
                           const std::string& why) {
  PT_LET(const auto mesh, MakeMesh(int32_t(generation.members.size())));
  Json call = {{"type", "call"}, {"task", run_.spec.number}, {"generation", generation.number},
               {"rank", -1},     {"cut", generation.cut},    {"why", why}};
  for (const int32_t each : leaving) run_.members.Find(each)->Send(call);
  for (size_t rank = 0; rank < generation.members.size(); ++rank) {
    std::vector<int> fds;
    for (const UniqueFd& each : mesh[rank]) {
      if (each) fds.push_back(each.get());
    }
    call["rank"] = rank;
    run_.members.Find(generation.members[rank])->Send(call, {}, fds);
  }
  if (gang_.fixed()) ReportTakers(generation, why);
  return Status::OK();
}

void RunMembership::ReportTakers(const Generation& generation, const std::string& why) {
  const std::vector<int32_t> before = std::exchange(ranks_, generation.members);
  for (size_t rank = 0; rank < before.size(); ++rank) {
    const Member& taker = *run_.members.Find(generation.members[rank]);
    if (taker.rank() == before[rank] || !taker.worker) continue;
    run_.call.Send(RankTakenOver{.rank = int32_t(rank),
                                 .server = Serves(taker.rank()),
                                 .pid = taker.worker->process.pid(),
                                 .log = taker.log.string(),
                                 .why = why});
  }
}

bool RunMembership::IsDone(int32_t number) const {
  const Member* const member = run_.members.Find(number);
  return member == nullptr || member->done;
}

RankFailure RunMembership::Describe(int32_t number, RankFailure::Kind kind, Status status) const {
  const Member& member = *run_.members.Find(number);
  const auto now = Clock::now();
  if (kind == RankFailure::Kind::kSilent) {
    Fault fault = FaultOf(status);
    fault.what += fmt::format(" ({})", run_.watch.AtWhat(member, false, now));
    status = protium::Fail(std::move(fault));
  }
  return member.Failure(kind, std::move(status), now);
}

void RunMembership::Fail(RankFailure failure) {
  run_.ending.Fail(ByRank(std::move(failure)), Clock::now());
}

void RunMembership::GiveUp(std::vector<RankFailure> losses, const std::string& why) {
  if (losses.empty() && run_.ending.failures().empty()) {
    losses.push_back(run_.members.All().front()->Failure(
        RankFailure::Kind::kAnswered, protium::Fail({.exit = Exit::kRemote, .what = why}), {}));
  }
  run_.ending.FailNow(std::move(losses), Clock::now());
}

}  // namespace protium
