// SPDX-License-Identifier: Apache-2.0
// A run whose gang bends: what members say about it goes to the BendingGang (gang/bending.h), whose
// crew is the run. All of it on the watching thread.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>

#include "base/fault.h"
#include "events/events.h"
#include "workers/map_run.h"

namespace protium {

namespace {

// How often a gang that would like more seats asks for one.
constexpr std::chrono::milliseconds kSeatTick{500};

}  // namespace

Member* MapRun::FindMember(int32_t number) const {
  std::lock_guard lock(mutex_);
  for (const auto& each : members_) {
    if (each->rank == number) return each.get();
  }
  return nullptr;
}

void MapRun::Lose(Member& member, RankFailure failure) {
  const bool kept = failure.kind == RankFailure::Kind::kSilent && !ReplacesHung();
  if (bend_ && !kept) return bend_->gang.Lost(std::move(failure));
  LeaveSeat(member, failure);
  Fail(std::move(failure));
}

// A rank died on the member's seat. Where that puts a device into quarantine, and another one can
// be had or the gang can do without, the seat is given back.
void MapRun::LeaveSeat(Member& member, const RankFailure& failure) {
  if (!IsDeath(failure) || failure.devices.empty()) return;
  const Seat seat = spec_.placement->seats[size_t(member.seat)];
  const bool leaves = spec_.died(seat) && bend_ && bend_->gang.bends() && !bend_->gang.closed();
  if (!leaves) return;
  const auto other = spec_.take_seat();
  const bool taken = other.ok() && *other;
  {
    std::lock_guard lock(mutex_);
    if (taken) spec_.placement->seats.push_back(**other);
    const auto kept = spec_.placement->seats.size() - bend_->given_back.size();
    if (!taken && int32_t(kept) <= spec_.bends->min) return;
    bend_->given_back.insert(member.seat);
  }
  Dismiss(member);
  spec_.give_back_seat(seat);
}

void MapRun::Dismiss(int32_t number) {
  std::erase(bend_->no_seat, number);
  Member* const member = FindMember(number);
  if (member != nullptr) Dismiss(*member);
}

void MapRun::Dismiss(Member& member) {
  member.done = true;
  std::unique_ptr<Worker> worker;
  {
    std::lock_guard lock(mutex_);
    worker = std::move(member.worker);
  }
  // Killed and reaped here, also one that is stopped: it must not wake up and go on.
  if (worker) worker->process.Signal(SIGKILL);
}

void MapRun::OnMembership(Member& member, Frame frame) {
  BendingGang& gang = bend_->gang;
  const int32_t number = member.rank;
  const int64_t generation = NumberAt(frame.head, "generation").ValueOr(-1);
  if (frame.type == "share") return KeepPart(member, std::move(frame));
  if (frame.type == "prepared") return gang.Prepared(number);
  if (frame.type == "notice") return gang.Notice(number);
  if (frame.type == "failed") {
    const Status status = StatusFromJson(frame.head.value("status", Json::object()));
    return gang.CallFailed(number, generation, status);
  }
  if (frame.type != "entered") return;
  gang.Entered(number, generation, NumberAt(frame.head, "step").ValueOr(0));
}

void MapRun::KeepPart(Member& member, Frame frame) {
  if (size_t(member.rank) >= bend_->parts.size()) return;
  bend_->parts[size_t(member.rank)] = {std::move(frame.raw), std::move(frame.fds)};
  bend_->shared += 1;
  // Before the gang hears that it bends. A newcomer that it starts then gets the parts by itself,
  // and a member that is called out at once has to get out of the exchange first.
  if (bend_->shared == bend_->parts.size()) {
    for (const int32_t each : bend_->gang.newest().members) SendParts(*FindMember(each));
  }
  bend_->gang.Shared(member.rank);
}

void MapRun::SendParts(const Member& member) {
  Json head = member.Head(spec_, "parts");
  head["parts"] = Json::array();
  std::string texts;
  std::vector<int> fds;
  for (const SharedPart& part : bend_->parts) {
    head["parts"].push_back({{"bytes", part.text.size()}, {"memories", part.memories.size()}});
    texts += part.text;
    for (const UniqueFd& each : part.memories) fds.push_back(each.get());
  }
  member.Tell(head, texts, fds);
}

// A member that was called out of the gang ends in the same way as one that is done.
void MapRun::OnFinished(Member& member) {
  bend_->gang.Finished(member.rank);
  if (!bend_->gang.closed()) return;
  const std::vector<int32_t> in = bend_->gang.Needed();
  std::vector<Member*> others;
  {
    std::lock_guard lock(mutex_);
    for (const auto& each : members_) {
      const bool needed = std::ranges::find(in, each->rank) != in.end();
      if (!needed && !each->done) others.push_back(each.get());
    }
  }
  for (Member* each : others) Dismiss(*each);
}

void MapRun::CheckMembership() {
  bend_->gang.Look();
  if (!bend_->no_seat.empty()) TakeSeat();
  const std::vector<int32_t> waiting = std::exchange(bend_->no_seat, {});
  for (const int32_t each : waiting) Start(each);
  GiveBackSeats();
}

// Nobody tells when another process gives back a device or another gang a core.
void MapRun::TakeSeat() {
  const auto now = Clock::now();
  if (!spec_.take_seat || bend_->gang.closed() || now < bend_->asked + kSeatTick) return;
  {
    std::lock_guard lock(mutex_);
    if (FreeSeat()) return;
  }
  bend_->asked = now;
  const auto seat = spec_.take_seat();
  if (!seat.ok() || !*seat) return;  // What is wrong with a machine's devices is told by a start.
  std::lock_guard lock(mutex_);
  spec_.placement->seats.push_back(**seat);
}

// Where a person wants fewer workers, their seats are for other gangs. A dead member's seat is
// taken by the next one before this is asked.
void MapRun::GiveBackSeats() {
  if (!spec_.give_back_seat || !bend_->gang.bends() || bend_->gang.closed()) return;
  std::vector<std::unique_ptr<Worker>> ending;
  std::vector<Seat> back;
  {
    std::lock_guard lock(mutex_);
    std::vector<int32_t> unused;
    const auto seats = int32_t(spec_.placement->seats.size());
    for (int32_t seat = 0; seat < seats; ++seat) {
      if (!IsTaken(seat) && !bend_->given_back.contains(seat)) unused.push_back(seat);
    }
    const int32_t kept = seats - int32_t(bend_->given_back.size());
    const int32_t spare = std::max(kept - spec_.bends->min, 0);
    if (int32_t(unused.size()) > spare) unused.resize(size_t(spare));
    for (const int32_t seat : unused) {
      back.push_back(spec_.placement->seats[size_t(seat)]);
      bend_->given_back.insert(seat);
      for (const auto& each : members_) {
        if (each->seat == seat && each->worker) ending.push_back(std::move(each->worker));
      }
    }
  }
  // Reaped before others may have its devices.
  for (const auto& worker : ending) worker->process.Signal(SIGKILL);
  ending.clear();
  for (const Seat& seat : back) spec_.give_back_seat(seat);
}

bool MapRun::IsDone(int32_t number) const {
  const Member* const member = FindMember(number);
  return member == nullptr || member->done;
}

RankFailure MapRun::Describe(int32_t number, RankFailure::Kind kind, Status status) const {
  const Member& member = *FindMember(number);
  Fault fault = FaultOf(status);
  if (kind == RankFailure::Kind::kSilent) {
    fault.what += fmt::format(" ({})", member.Hang(false));
    status = protium::Fail(std::move(fault));
  }
  return member.Failure(spec_, kind, std::move(status), Now());
}

std::optional<int32_t> MapRun::FreeSeat() const {
  for (int32_t seat = 0; seat < int32_t(spec_.placement->seats.size()); ++seat) {
    if (!IsTaken(seat) && !bend_->given_back.contains(seat)) return seat;
  }
  return std::nullopt;
}

bool MapRun::IsTaken(int32_t seat) const {
  return std::ranges::any_of(members_,
                             [&](const auto& each) { return each->seat == seat && !each->done; });
}

// It loads what it needs while the others go on.
void MapRun::Start(int32_t number) {
  if (call_.stop.stop_requested() || bend_->gang.closed()) return;
  Status started;
  {
    std::lock_guard lock(mutex_);
    const std::optional<int32_t> seat = FreeSeat();
    if (!seat) return bend_->no_seat.push_back(number);
    started = AddMember({.rank = number, .seat = *seat, .newcomer = true}, {});
  }
  Member* const member = started.ok() ? FindMember(number) : nullptr;
  if (member != nullptr) {
    call_.Send(MemberStarted{number, member->worker->process.pid(), member->log.string()});
    member->Tell(member->Head(spec_, "end"));
    return SendParts(*member);
  }
  call_.Send(Warning{"a worker could not be started: " + FaultOf(started).what});
  bend_->gang.NotStarted(number);
}

// A socket between every two of its members.
Status MapRun::Call(const Generation& generation, const std::vector<int32_t>& leaving,
                    const std::string& why) {
  PT_LET(const auto mesh, MakeMesh(int32_t(generation.members.size())));
  Json call = {{"type", "call"}, {"task", spec_.number},  {"generation", generation.number},
               {"rank", -1},     {"cut", generation.cut}, {"why", why}};
  for (const int32_t each : leaving) FindMember(each)->Tell(call);
  for (size_t rank = 0; rank < generation.members.size(); ++rank) {
    std::vector<int> fds;
    for (const UniqueFd& each : mesh[rank]) {
      if (each) fds.push_back(each.get());
    }
    call["rank"] = rank;
    FindMember(generation.members[rank])->Tell(call, {}, fds);
  }
  return Status::OK();
}

void MapRun::GiveUp(std::vector<RankFailure> losses, const std::string& why) {
  std::ranges::move(losses, std::back_inserter(failures_));
  if (failures_.empty()) {
    std::lock_guard lock(mutex_);
    failures_.push_back(
        members_.front()->Failure(spec_, RankFailure::Kind::kAnswered,
                                  protium::Fail({.exit = Exit::kRemote, .what = why}), 0));
  }
  settled_ = Clock::now();
}

}  // namespace protium
