// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/lease_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gang/program.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kTailBytes = 2048;

std::vector<Device> DevicesIn(const Json& event) {
  std::vector<Device> devices;
  for (const Json& each : event.value("devices", Json::array())) {
    devices.push_back({each.value("name", ""), each.value("address", "")});
  }
  return devices;
}

}  // namespace

LeaseTask& LeaseTasks::Of(int32_t seat, int64_t id) {
  for (const auto& each : tasks_) {
    if (each->id == id) return *each;
  }
  tasks_.push_back(std::make_unique<LeaseTask>(LeaseTask{.seat = seat, .id = id}));
  return *tasks_.back();
}

void LeaseTasks::OnHere(LeaseTask& task, const Json& event) const {
  task.here = true;
  task.host = event.value("host", "");
  task.pid = event.value("pid", int64_t{0});
  task.devices = DevicesIn(event);
}

void LeaseTasks::Place(LeaseTask& task, int32_t member) const {
  task.member = member;
  if (!logs_.empty()) task.log = logs_ / fmt::format("rank-{:03}.log", member);
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
  return {.kind = kind,
          .rank = task.member,
          .world = world,
          .host = task.host.empty() ? "an executor" : task.host,
          .devices = task.devices,
          .status = std::move(status),
          .log = task.log,
          .last_lines = task.log.empty() ? "" : ReadTail(task.log, kTailBytes),
          .is_program = task_ == kProgramTask};
}

Json LeaseTasks::StartTable() const {
  std::map<int32_t, Json> rows;
  for (const auto& each : tasks_) {
    if (each->member < 0) continue;
    Json gpus = Json::array();
    for (const Device& device : each->devices) gpus.push_back(device.address);
    Json row = {{"rank", each->member},
                {"host", each->host},
                {"gpus", std::move(gpus)},
                {"pid", each->pid}};
    if (!each->log.empty()) row["log"] = each->log.string();
    rows[each->member] = std::move(row);
  }
  Json table = Json::array();
  for (auto& [member, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace protium
