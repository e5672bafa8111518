// SPDX-License-Identifier: Apache-2.0
// Zygotes and the workers that wait, as one pool hands them to the next in the same process.
#include "pool/handover.h"
#include "pool/zygotes.h"

namespace protium {

namespace {

Json WorkerToHandOver(WaitingWorker& worker, PoolHandover& handover) {
  return {{"pid", worker.pid},
          {"channel", handover.Put(std::move(worker.channel))},
          {"process", handover.Put(std::move(worker.process))},
          {"report", handover.Put(std::move(worker.report))}};
}

WaitingWorker HandedWorker(const Json& json, PoolHandover& handover) {
  return {.pid = pid_t(WholeAt(json, "pid")),
          .channel = handover.Take(json, "channel"),
          .process = handover.Take(json, "process"),
          .report = handover.Take(json, "report")};
}

}  // namespace

// One that loads its libraries, or has workers on the way, has half said something: it ends, and is
// started again when it is asked for.
Json Zygotes::HandOver(PoolHandover& handover) {
  Json all = Json::array();
  for (auto& each : zygotes_) {
    if (!each->ready || each->failed || each->awaited != 0) continue;
    Json warm = Json::array(), files = Json::object(), demand = Json::array();
    for (WaitingWorker& worker : each->warm) warm.push_back(WorkerToHandOver(worker, handover));
    for (const auto& [path, file] : each->files) files[path] = file;
    for (const auto& [at, workers] : each->demand.asked()) {
      demand.push_back({{"at", TicksOf(at)}, {"workers", workers}});
    }
    all.push_back({{"profile", each->profile.ToJson()},
                   {"pid", each->pid},
                   {"process", handover.Put(std::move(each->process))},
                   {"link", handover.Put(each->link->TakeSocket())},
                   {"unfit", each->unfit},
                   {"files", std::move(files)},
                   {"used", TicksOf(each->used)},
                   {"demand", std::move(demand)},
                   {"warm", std::move(warm)}});
  }
  Json ending = Json::array();
  for (auto& each : zygotes_) {
    if (each->process) ending.push_back(handover.Put(std::move(each->process)));
  }
  for (UniqueFd& each : ending_) ending.push_back(handover.Put(std::move(each)));
  zygotes_.clear();
  ending_.clear();
  return {{"zygotes", std::move(all)}, {"ending", std::move(ending)}};
}

void Zygotes::TakeOver(const Json& state, PoolHandover& handover) {
  for (const Json& each : state.value("ending", Json::array())) {
    UniqueFd process = handover.Take(Json{{"process", each}}, "process");
    if (process) ending_.push_back(std::move(process));
  }
  for (const Json& each : state.value("zygotes", Json::array())) {
    const auto profile = WorkerProfile::FromJson(each.value("profile", Json::object()));
    UniqueFd process = handover.Take(each, "process"), link = handover.Take(each, "link");
    if (!profile.ok() || !process || !link) continue;
    auto zygote =
        Make(*profile, pid_t(WholeAt(each, "pid")), std::move(process), Channel(std::move(link)));
    zygote->ready = true;
    zygote->unfit = TextAt(each, "unfit");
    zygote->used = TimeAt(each, "used");
    const Json files = each.value("files", Json::object());
    for (const auto& [path, file] : files.items()) {
      zygote->files.emplace_back(path, TextAt(files, path));
    }
    for (const Json& asked : each.value("demand", Json::array())) {
      zygote->demand.Add(int32_t(WholeAt(asked, "workers")), TimeAt(asked, "at"));
    }
    for (const Json& worker : each.value("warm", Json::array())) {
      zygote->warm.push_back(HandedWorker(worker, handover));
    }
    zygotes_.push_back(std::move(zygote));
  }
}

}  // namespace protium
