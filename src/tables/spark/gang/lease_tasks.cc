// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/lease_tasks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "protium/events.h"
#include "spark_worker/command.h"

namespace protium {

LeaseTask& LeaseTasks::Of(int32_t seat, int64_t id) {
  for (const auto& each : tasks_) {
    if (each->id == id) return *each;
  }
  tasks_.push_back(std::make_unique<LeaseTask>(LeaseTask{.seat = seat, .id = id}));
  return *tasks_.back();
}

void LeaseTasks::OnHere(LeaseTask& task, const Json& event) const {
  task.here = true;
  task.seen = SeenRankIn(event);
  task.seen.sight.Begin(Clock::now());
}

void LeaseTasks::Place(LeaseTask& task, int32_t member) const {
  task.member = member;
  task.seen.log = LogFile(logs_, member);
}

LeaseTask* LeaseTasks::OfMember(int32_t member) const {
  for (const auto& each : tasks_) {
    if (each->member == member) return each.get();
  }
  return nullptr;
}

bool LeaseTasks::IsSecondTry(const LeaseTask& task) const {
  return std::ranges::any_of(tasks_, [&](const auto& each) {
    return each.get() != &task && each->seat == task.seat && each->member >= 0 && each->alive();
  });
}

std::vector<LeaseTask*> LeaseTasks::Waiting() const {
  std::vector<LeaseTask*> waiting;
  for (const auto& each : tasks_) {
    const bool waits = each->alive() && each->member < 0 && !each->left;
    if (waits && !IsSecondTry(*each)) waiting.push_back(each.get());
  }
  std::ranges::sort(waiting, {}, &LeaseTask::seat);
  return waiting;
}

bool LeaseTasks::Lives(int32_t seat) const {
  return std::ranges::any_of(tasks_,
                             [&](const auto& each) { return each->seat == seat && each->alive(); });
}

bool LeaseTasks::HasEnded(int32_t seat) const {
  const LeaseTask* newest = nullptr;
  for (const auto& each : tasks_) {
    if (each->seat != seat) continue;
    if (newest == nullptr || each->id > newest->id) newest = each.get();
  }
  return newest != nullptr && (newest->done || newest->left);
}

RankFailure LeaseTasks::Failure(const LeaseTask& task, int32_t world, RankFailure::Kind kind,
                                Status status) const {
  return FailureOf(task.seen, task.member, world, role_, kind, std::move(status));
}

std::vector<RankPlaced> LeaseTasks::StartTable() const {
  std::map<int32_t, RankPlaced> rows;
  for (const auto& each : tasks_) {
    if (each->member >= 0) rows[each->member] = StartRow(each->member, each->seen);
  }
  std::vector<RankPlaced> table;
  for (auto& [member, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace protium
