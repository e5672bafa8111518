// SPDX-License-Identifier: Apache-2.0
// What a lease learns: from its tasks, of their processes, and of their jobs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "protium/events.h"
#include "spark/gang/lease_run.h"
#include "spark_worker/lease_words.h"

namespace protium {

void GangLease::ReadEvents() {
  const auto events = tail_.Read();
  if (!events.ok()) return;
  for (const TailedLine& each : *events) {
    LeaseTask& task = tasks_.Of(each.partition, each.task_attempt);
    task.seen.sight.heard = Clock::now();
    if (each.type() == "beat") {
      task.seen.sight.OnBeat(each.line, Clock::now());
    } else if (each.type() == "event" || each.type() == "saved") {
      if (!task.gone) Forward(each, call_);
    } else {
      OnMember(task, each.line);
    }
  }
  for (const EventWriter& each : tail_.TakeEnded()) {
    OnGone(tasks_.Of(each.partition, each.task_attempt), Status::OK());
  }
}

void GangLease::OnMember(LeaseTask& task, const Json& event) {
  const std::string type = event.value("type", "");
  if (type == "here") {
    came_ = Clock::now();
    return tasks_.OnHere(task, event);
  }
  if (task.member < 0 || task.gone) return;
  if (type == "card") return OnCard(task, event);
  if (type == "done") return OnDone(task, event);
  if (!gang_) return;
  const int64_t generation = event.value("generation", int64_t{-1});
  if (type == "shared") OnShared(task, event);
  if (type == "prepared") gang_->Prepared(task.member);
  if (type == "notice") gang_->Notice(task.member);
  if (type == "entered") gang_->Entered(task.member, generation, event.value("step", int64_t{0}));
  if (type == "failed") {
    const Status status = StatusFromJson(event.value("status", Json::object()));
    gang_->CallFailed(task.member, generation, status);
  }
}

void GangLease::OnShared(const LeaseTask& task, const Json& event) {
  shared_[task.member] = event.value("memories", int64_t{0});
  // Before the gang is notified that it is elastic: newcomers find it among the lines.
  if (int32_t(shared_.size()) == began_) {
    Json memories = Json::array();
    for (const auto& [member, count] : shared_) memories.push_back(count);
    Say({{"type", "parts"}, {"memories", std::move(memories)}});
  }
  gang_->Shared(task.member);
}

// Only cards of the newest generation: an older one will not meet any more.
void GangLease::OnCard(const LeaseTask& task, const Json& event) {
  if (event.value("generation", int64_t{-1}) != meeting_.number) return;
  cards_[task.member] = event.value("card", "");
  if (cards_.size() != meeting_.members.size()) return;
  Json cards = Json::array();
  for (const int32_t each : meeting_.members) cards.push_back(cards_[each]);
  Say({{"type", "cards"}, {"generation", meeting_.number}, {"cards", std::move(cards)}});
}

void GangLease::OnDone(LeaseTask& task, const Json& event) {
  task.done = true;
  task.status = StatusFromJson(event.value("status", Json::object()));
  if (task.status.ok()) return gang_ ? gang_->Finished(task.member) : void();
  RankFailure failure = Describe(task.member, RankFailure::Kind::kAnswered, task.status);
  failure.at = event.value("at", int64_t{0});
  // What prevents a newcomer from joining is no failure of the members.
  const bool outside = gang_ && !gang_->HasEntered(task.member);
  outside ? gang_->Lost(std::move(failure)) : Fail(std::move(failure));
}

// Its process has ended without a report; `why` is Spark's reason, if it gave one.
void GangLease::OnGone(LeaseTask& task, const Status& why) {
  if (task.done || std::exchange(task.gone, true) || task.member < 0) return;
  Fault fault{.what = "was lost in the middle of task \"" + command_.task + "\""};
  if (!why.ok()) fault.why = FaultOf(why).what;
  Lose(task, RankFailure::Kind::kEnded, protium::Fail(std::move(fault)));
}

void GangLease::Lose(const LeaseTask& task, RankFailure::Kind kind, Status status) {
  const bool kept = kind == RankFailure::Kind::kSilent && !terms_.replaces_hung;
  RankFailure failure = Describe(task.member, kind, std::move(status));
  if (gang_ && !kept) return gang_->Lost(std::move(failure));
  CountLoss(failure);
  Fail(std::move(failure));
}

void GangLease::OnJobEnd(const LeaseJobEnd& end) {
  if (end.server_lost) {
    fatal_ = {end.status, false};
    return;
  }
  bool placed = false;
  for (const auto& each : tasks_.all()) {
    if (each->seat != end.seat) continue;
    placed = placed || each->member >= 0;
    // The end of its process was noticed first; the reason comes through Spark.
    if (each->gone && each->member >= 0 && end.told) ReportLate(*each, *end.told);
    OnGone(*each, end.told ? end.told->status : end.status);
  }
  if (end.status.ok() || placed) return;
  OnVain(end);
}

void GangLease::ReportLate(const LeaseTask& task, const RankFailure& told) const {
  if (IsAboutOthers(told)) return;
  const std::string what = FaultOf(told.status).what;
  call_.Send(Warning{fmt::format("rank {} on {} ended: {}", task.member, task.seen.host, what)});
}

// A job failed whose task never reported itself.
void GangLease::OnVain(const LeaseJobEnd& end) {
  const Status status = end.told ? ReportFailure({&*end.told, 1}) : end.status;
  if (!gang_) {
    fatal_ = {status, FaultOf(status).exit == Exit::kRemote};
  } else if (!expected_.empty()) {
    const int32_t member = expected_.front();
    gang_->Lost(
        {.rank = member, .world = spec_.gang.workers.max, .host = "an executor", .status = status});
  }
}

void GangLease::CheckSilence() {
  const auto latest = Clock::now() - ToDuration(spec_.gang.deadline);
  for (const auto& each : tasks_.all()) {
    if (!each->alive() || each->seen.sight.heard > latest) continue;
    // The process may be stopped: it must not resume.
    jobs_.Interrupt(each->seat);
    each->gone = true;
    if (each->member < 0) continue;
    Lose(*each, RankFailure::Kind::kSilent,
         protium::Fail({.exit = Exit::kStalled,
                        .what = fmt::format("was silent for {:g} seconds", terms_.deadline)}));
  }
}

// A newcomer that is preparing keeps nobody waiting.
std::vector<WatchedRank> GangLease::Watched() const {
  std::vector<WatchedRank> ranks;
  if (began_ == 0) return ranks;
  for (const int32_t each : gang_ ? gang_->newest().members : meeting_.members) {
    LeaseTask* const task = tasks_.OfMember(each);
    if (task != nullptr && task->alive()) ranks.push_back({each, &task->seen.sight});
  }
  return ranks;
}

void GangLease::CheckWaits() {
  if (call_.stop.stop_requested()) return;
  for (const LateRank& each : FindLate(Watched(), terms_, Clock::now())) {
    const LeaseTask& task = *tasks_.OfMember(each.late.rank);
    (void)tail_.AskWhere(task.id);
    call_.Send(LateWarning(each, task.seen, terms_));
  }
}

// If all failures are about other ranks, a rank that is busy with something else is taken as their
// cause.
void GangLease::FindHung() {
  if (failures_.empty() || !IsAboutOthers(FindCause(failures_))) return;
  const auto now = Clock::now();
  for (const WatchedRank& each : Watched()) {
    const bool calls = !each.sight->doing.call.empty() && !terms_.IsSilent(*each.sight, now);
    if (calls || each.sight->SecondsAt(now) < terms_.deadline / 2) continue;
    const std::string what =
        fmt::format("kept the others waiting for {:g} seconds", terms_.deadline);
    failures_.push_back(Describe(each.rank, RankFailure::Kind::kSilent,
                                 protium::Fail({.exit = Exit::kStalled, .what = what})));
  }
}

}  // namespace protium
