// SPDX-License-Identifier: Apache-2.0
// Who is which member of a lease, and what happens to those that cease to be one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "spark/gang/lease_run.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

// After the minimum is reached, others that come at about the same time are awaited.
constexpr auto kGrace = std::chrono::seconds(1);
// Somewhat more than four beats missed: the process is stopped, or its host is gone.
constexpr auto kSilence = std::chrono::seconds(5);

}  // namespace

bool GangLease::IsLeftOut(const LeaseTask& task) const {
  return spec_.left_out->Holds(task.seen, Clock::now());
}

// All or none: too few tasks wait for a while, and then release their slots.
void GangLease::Gather() {
  std::vector<LeaseTask*> waiting = tasks_.Waiting();
  const auto& workers = spec_.gang.workers;
  const auto now = Clock::now();
  if (int32_t(waiting.size()) >= workers.min) {
    if (!enough_) enough_ = now;
    const auto good = std::ranges::stable_partition(
        waiting, [&](const LeaseTask* task) { return !IsLeftOut(*task); });
    // Those that are left out come last, and are used if there are too few others.
    const auto others = int32_t(good.begin() - waiting.begin());
    if (others < workers.max && now - *enough_ < kGrace) return;
    waiting.resize(size_t(std::max(others, workers.min)));
    Begin(waiting);
    return;
  }
  enough_.reset();
  if (now - came_ < ToDuration(spec_.gang.patience)) return;
  fatal_ = {
      protium::Fail({.exit = Exit::kStalled,
                     .what = fmt::format("{} of at least {} workers got a slot of the cluster",
                                         waiting.size(), workers.min),
                     .where = "gang.workers",
                     .why = fmt::format("no other came within {:g} s (gang.patience), and a gang "
                                        "does not hold slots that it cannot use",
                                        spec_.gang.patience),
                     .fix = "wait for other jobs of the cluster to end, or lower gang.workers"}),
      false};
}

void GangLease::Begin(const std::vector<LeaseTask*>& tasks) {
  const int32_t most = std::min(int32_t(tasks.size()), spec_.gang.workers.max);
  began_ = most;
  for (int32_t member = 0; member < most; ++member) {
    meeting_.members.push_back(member);
    Place(*tasks[size_t(member)], member, false);
  }
  GangPlaced event{.task = command_.task,
                   .role = command_.role,
                   .attempt = command_.attempt,
                   .ranks = tasks_.StartTable()};
  const auto& workers = spec_.gang.workers;
  if (workers.bends()) event.bends = {workers.min, workers.max};
  call_.Send(event);
  if (!workers.bends()) return;
  gang_.emplace(BendingSpec{.limits = {.min = workers.min,
                                       .max = workers.max,
                                       .fruitless = std::max(spec_.gang.max_restarts, workers.max),
                                       .patience = ToDuration(spec_.gang.patience)},
                            .members = most,
                            .deadline = spec_.gang.deadline,
                            .replace_hung = spec_.gang.replace_hung,
                            .wish = spec_.wish},
                static_cast<Crew&>(*this), call_);
}

void GangLease::Place(LeaseTask& task, int32_t member, bool newcomer) {
  tasks_.Place(task, member);
  Say({{"type", "place"},
       {"task", task.id},
       {"member", member},
       {"world", began_},
       {"newcomer", newcomer}});
}

// Makes tasks that have a slot the missing members; submits jobs for members without a task on its
// way, and cancels jobs if there are too many.
void GangLease::SeatNewcomers() {
  if (!gang_ || !gang_->bends() || gang_->closed() || call_.stop.stop_requested()) return;
  std::vector<int32_t> coming = jobs_.running();
  int32_t left_out = 0;
  for (LeaseTask* const task : tasks_.Waiting()) {
    // Spark is about to kill the task of an interrupted job.
    if (std::ranges::find(coming, task->seat) == coming.end()) continue;
    const bool passed_over = !expected_.empty() && IsLeftOut(*task) && HasEnough();
    passed_over ? void(++left_out) : Seat(*task);
  }
  std::erase_if(coming, [&](int32_t seat) { return tasks_.Lives(seat) || tasks_.HasEnded(seat); });
  for (; coming.size() > expected_.size(); coming.pop_back()) jobs_.Interrupt(coming.back());
  // Does not submit more and more jobs if all free slots are left out.
  if (left_out >= spec_.gang.workers.max) return;
  for (size_t many = coming.size(); many < expected_.size(); ++many) jobs_.Start();
}

// Whether the gang can go on with the members it has.
bool GangLease::HasEnough() const {
  const std::vector<int32_t>& in = gang_->newest().members;
  return std::ranges::count_if(in, [&](int32_t each) { return !IsDone(each); }) >=
         spec_.gang.workers.min;
}

void GangLease::Seat(LeaseTask& task) {
  if (expected_.empty()) {
    task.left = true;
    return Say({{"type", "leave"}, {"task", task.id}});
  }
  const int32_t member = expected_.front();
  expected_.erase(expected_.begin());
  Place(task, member, true);
  call_.Send(MemberStarted{member, task.seen.pid, task.seen.log.string()});
}

void GangLease::Dismiss(int32_t member) {
  std::erase(expected_, member);
  LeaseTask* const task = tasks_.OfMember(member);
  if (task == nullptr) return;
  Say({{"type", "leave"}, {"task", task->id}});
  // One that has the weights is given up because it hangs; Spark then kills its process.
  const bool hangs = MayHang(member) || gang_->HasEntered(member);
  if (task->alive() && hangs) jobs_.Interrupt(task->seat);
  task->gone = true;
}

Status GangLease::Call(const Generation& generation, const std::vector<int32_t>& leaving,
                       const std::string& why) {
  meeting_ = generation;
  cards_.clear();
  Say({{"type", "call"},
       {"generation", generation.number},
       {"members", generation.members},
       {"leaving", leaving},
       {"cut", generation.cut},
       {"why", why}});
  return lines_->status();
}

bool GangLease::IsDone(int32_t member) const {
  const LeaseTask* const task = tasks_.OfMember(member);
  return task == nullptr || !task->alive();
}

bool GangLease::MayHang(int32_t member) const {
  const LeaseTask* const task = tasks_.OfMember(member);
  return task == nullptr || Clock::now() - task->seen.sight.heard > kSilence;
}

// A reply is the task's own, wherever it runs.
void GangLease::CountLoss(const RankFailure& failure) {
  const LeaseTask* const task = tasks_.OfMember(failure.rank);
  if (task == nullptr || failure.kind == RankFailure::Kind::kAnswered) return;
  spec_.left_out->Died(task->seen, Clock::now(), call_);
}

RankFailure GangLease::Describe(int32_t member, RankFailure::Kind kind, Status status) const {
  const LeaseTask& task = *tasks_.OfMember(member);
  Fault fault = FaultOf(status);
  if (kind == RankFailure::Kind::kSilent && fault.exit == Exit::kStalled) {
    fault.what += fmt::format(" ({})", AtWhat(task.seen, terms_));
    status = protium::Fail(std::move(fault));
  }
  return tasks_.Failure(task, spec_.gang.workers.max, kind, std::move(status));
}

void GangLease::Fail(RankFailure failure) {
  const auto now = Clock::now();
  settled_ = std::min(settled_, IsAboutOthers(failure) ? now + kLastWords : now);
  failures_.push_back(std::move(failure));
}

void GangLease::GiveUp(std::vector<RankFailure> losses, const std::string& why) {
  std::ranges::move(losses, std::back_inserter(failures_));
  if (failures_.empty()) {
    fatal_ = {protium::Fail({.exit = Exit::kRemote, .what = why, .where = "gang"}), true};
  }
  settled_ = Clock::now();
}

}  // namespace protium
