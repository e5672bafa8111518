// SPDX-License-Identifier: Apache-2.0
// A run whose gang bends: what members say about it goes to the Roster (gang/roster.h), and its
// orders are carried out here. All of it on the watching thread.
//
// A member that is lost once all rows are shared is no failure: survivors are called to the next
// generation with sockets of their own, and another member starts in the free seat. What became of
// the lost ones is kept, in case the roster gives up.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "base/fault.h"
#include "local/workers/map_run.h"

namespace protium {
namespace {

// A collective call that failed has a death as its cause, which is seen within this time.
constexpr std::chrono::seconds kDoubtTime{1};

std::string CountOfWorkers(size_t count) {
  return fmt::format("{} worker{}", count, count == 1 ? "" : "s");
}

}  // namespace

Member* MapRun::FindMember(int32_t number) {
  std::lock_guard lock(mutex_);
  for (const auto& each : members_) {
    if (each->rank == number) return each.get();
  }
  return nullptr;
}

void MapRun::Lose(Member& member, RankFailure failure) {
  if (!bend_ || !bend_->roster.bends()) return Fail(std::move(failure));
  if (bend_->roster.closed()) {
    // The result is there when rank 0 is done; nobody needs the others after that.
    const Member* leader = FindMember(bend_->roster.newest().members.front());
    const bool result = leader != nullptr && leader->done && leader != &member;
    return result || !member.entered ? void() : Fail(std::move(failure));
  }
  bend_->why = fmt::format("rank {} {}", member.rank, FaultOf(failure.status).what);
  call_.Tell({{"event", "rank_lost"},
              {"rank", member.rank},
              {"why", FaultOf(failure.status).what},
              {"newcomer", !member.entered}});
  bend_->losses.push_back(std::move(failure));
  bend_->doubts.clear();
  bend_->doubted = kNever;
  Dismiss(member);
  bend_->roster.Gone(member.rank, Clock::now());
  Obey();
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
  const auto now = Clock::now();
  if (frame.type == "share") return KeepPart(member, std::move(frame));
  if (frame.type == "failed") return OnCallFailed(member, frame);
  if (frame.type == "prepared") bend_->roster.Prepared(member.rank, now);
  if (frame.type == "notice") {
    bend_->why = fmt::format("rank {} has to end", member.rank);
    bend_->roster.Notice(member.rank, now);
  }
  if (frame.type == "entered") {
    member.entered = true;
    bend_->roster.Entered(member.rank, NumberAt(frame.head, "generation").ValueOr(-1),
                          NumberAt(frame.head, "step").ValueOr(0), now);
  }
  Obey();
}

void MapRun::KeepPart(Member& member, Frame frame) {
  if (size_t(member.rank) >= bend_->parts.size()) return;
  bend_->parts[size_t(member.rank)] = {std::move(frame.raw), std::move(frame.fds)};
  // Not those of the newest generation: that may be one already to which some are not called, and
  // all have to get out of the exchange first.
  const std::vector<int32_t> all = bend_->roster.newest().members;
  bend_->roster.Shared(member.rank, Clock::now());
  if (!bend_->roster.bends()) return;
  for (const int32_t each : all) SendParts(*FindMember(each));
  Obey();
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

// A rank's error about others comes before the end of the process that it is about, or because a
// new generation took that one away.
void MapRun::OnCallFailed(Member& member, const Frame& frame) {
  const int64_t generation = NumberAt(frame.head, "generation").ValueOr(-1);
  if (bend_->roster.closed() || bend_->roster.newest().number > generation) return;
  const Status status = StatusFromJson(frame.head.value("status", Json::object()));
  if (status.ok()) return;
  bend_->doubts.push_back(member.Failure(spec_, RankFailure::Kind::kAnswered, status, Now()));
  bend_->doubted = std::min(bend_->doubted, Clock::now() + kDoubtTime);
}

// A member that was called out of the gang ends in the same way as one that is done.
void MapRun::OnFinished(Member& member) {
  bend_->roster.Finished(member.rank, Clock::now());
  Obey();
  if (!bend_->roster.closed()) return;
  const std::vector<int32_t>& in = bend_->roster.newest().members;
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
  const auto now = Clock::now();
  if (now >= bend_->doubted && !bend_->roster.closed()) SettleDoubts();
  ReadWish();
  if (now >= bend_->roster.due()) bend_->roster.Look(now);
  Obey();
  const std::vector<int32_t> waiting = std::exchange(bend_->no_seat, {});
  for (const int32_t each : waiting) StartNewcomer(each);
}

// Nobody has died, and yet collective calls failed. A member that does not say so itself hangs, and
// is replaced like a dead one; if all say so, they disagree, and the attempt fails.
void MapRun::SettleDoubts() {
  bend_->doubted = kNever;
  std::vector<RankFailure> doubts = std::exchange(bend_->doubts, {});
  std::vector<Member*> hung;
  for (const int32_t each : bend_->roster.newest().members) {
    const bool said = std::ranges::find(doubts, each, &RankFailure::rank) != doubts.end();
    if (Member* member = FindMember(each); !said && !member->done) hung.push_back(member);
  }
  if (hung.empty()) {
    for (RankFailure& each : doubts) Fail(std::move(each));
    return;
  }
  for (Member* member : hung) {
    Lose(*member, member->Failure(
                      spec_, RankFailure::Kind::kSilent,
                      protium::Fail({.exit = Exit::kStalled,
                                     .what = fmt::format("kept the others waiting for {:g} seconds",
                                                         spec_.deadline)}),
                      Now()));
  }
}

void MapRun::ReadWish() {
  if (spec_.wish.empty()) return;
  std::error_code missing;
  const auto written = std::filesystem::last_write_time(spec_.wish, missing);
  if (missing || written == bend_->wished) return;
  bend_->wished = written;
  int32_t wanted = 0;
  if (!(std::ifstream(spec_.wish) >> wanted) || wanted < 1) return;
  bend_->why = fmt::format("{} wanted", CountOfWorkers(size_t(wanted)));
  bend_->roster.Want(wanted, Clock::now());
}

void MapRun::Obey() {
  for (const RosterOrder& order : bend_->roster.Orders()) {
    switch (order.kind) {
      case RosterOrder::Kind::kStart:
        StartNewcomer(order.member);
        break;
      case RosterOrder::Kind::kCall:
        CallTo(order.generation);
        break;
      case RosterOrder::Kind::kDismiss:
        if (Member* member = FindMember(order.member)) Dismiss(*member);
        std::erase(bend_->no_seat, order.member);
        break;
      case RosterOrder::Kind::kEnd:
        EndBending(order.why);
        break;
    }
  }
}

std::optional<int32_t> MapRun::FreeSeat() const {
  for (int32_t seat = 0; seat < int32_t(spec_.placement->seats.size()); ++seat) {
    const bool taken = std::ranges::any_of(
        members_, [&](const auto& each) { return each->seat == seat && !each->done; });
    if (!taken) return seat;
  }
  return std::nullopt;
}

// It loads what it needs while the others go on.
void MapRun::StartNewcomer(int32_t number) {
  if (call_.stop.stop_requested() || bend_->roster.closed()) return;
  Status started;
  {
    std::lock_guard lock(mutex_);
    const std::optional<int32_t> seat = FreeSeat();
    if (!seat) return bend_->no_seat.push_back(number);
    started = AddMember({.rank = number, .seat = *seat, .newcomer = true}, {});
  }
  Member* member = started.ok() ? FindMember(number) : nullptr;
  if (member != nullptr) {
    call_.Tell({{"event", "member_start"},
                {"rank", number},
                {"pid", member->worker->process.pid()},
                {"log", member->log.string()}});
    member->Tell(member->Head(spec_, "end"));
    return SendParts(*member);
  }
  call_.Tell({{"event", "warning"},
              {"message", "a worker could not be started: " + FaultOf(started).what}});
  bend_->roster.Gone(number, Clock::now());
}

// A socket between every two of its members; those of the generation before that are not in it
// leave the gang.
void MapRun::CallTo(const Generation& generation) {
  bend_->doubts.clear();
  bend_->doubted = kNever;
  auto mesh = MakeMesh(int32_t(generation.members.size()));
  if (!mesh.ok()) return EndBending(FaultOf(mesh.status()).what);
  Json call = {{"type", "call"}, {"task", spec_.number},  {"generation", generation.number},
               {"rank", -1},     {"cut", generation.cut}, {"why", bend_->why}};
  for (const int32_t each : bend_->calling) {
    const auto& in = generation.members;
    if (std::ranges::find(in, each) == in.end()) FindMember(each)->Tell(call);
  }
  for (size_t rank = 0; rank < generation.members.size(); ++rank) {
    std::vector<int> fds;
    for (const UniqueFd& each : (*mesh)[rank]) {
      if (each) fds.push_back(each.get());
    }
    call["rank"] = rank;
    FindMember(generation.members[rank])->Tell(call, {}, fds);
  }
  bend_->calling = generation.members;
  TellChange(generation);
}

void MapRun::TellChange(const Generation& generation) {
  call_.Tell({{"event", "gang_change"},
              {"generation", generation.number},
              {"world", generation.members.size()},
              {"members", generation.members},
              {"cut", generation.cut},
              {"why", bend_->why}});
  const std::string goes_on = CountOfWorkers(generation.members.size());
  const std::string why = bend_->why.empty() ? "others have come" : std::exchange(bend_->why, {});
  call_.Tell(
      {{"event", "note"}, {"message", fmt::format("the gang goes on with {}: {}", goes_on, why)}});
}

// The attempt fails with what its members died of.
void MapRun::EndBending(const std::string& why) {
  call_.Tell({{"event", "note"}, {"message", "the gang cannot go on: " + why}});
  std::ranges::move(bend_->losses, std::back_inserter(failures_));
  bend_->losses.clear();
  if (failures_.empty()) {
    std::lock_guard lock(mutex_);
    failures_.push_back(
        members_.front()->Failure(spec_, RankFailure::Kind::kAnswered,
                                  protium::Fail({.exit = Exit::kRemote, .what = why}), 0));
  }
  settled_ = Clock::now();
}

}  // namespace protium
