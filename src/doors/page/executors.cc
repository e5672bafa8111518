// SPDX-License-Identifier: Apache-2.0
#include "page/executors.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "events/events.h"

namespace protium {

namespace {

constexpr size_t kMostTasks = 500;  // Per executor.

double TimeOf(const Json& json) {
  const Json time = json.is_object() ? json.value("time", Json()) : Json();
  return time.is_number() ? time.get<double>() : 0;
}

std::string RankOf(const Json& json) { return Dump(json.value("rank", Json())); }

// Takes the gangs and their changes in the order of their times. A seat is a rank's in the gang
// that is currently placed.
class Seats {
 public:
  void Place(const Json& gang) {
    CloseAll(TimeOf(gang), true);
    gang_ = gang;
    for (const Json& rank : gang["ranks"]) Open(rank, TimeOf(gang));
  }

  void Change(const Json& change) {
    const double time = TimeOf(change);
    if (Is<AttemptStarted>(change)) CloseAll(time, false);
    if (Is<MemberStarted>(change) || Is<RankTakenOver>(change)) {
      Close(RankOf(change), time, true);
      Open(change, time);
    }
    if (Is<RankLost>(change)) {
      if (Json* const executor = Close(RankOf(change), time, false)) (*executor)["why"] = "lost";
    }
  }

  void CloseAll(double time, bool done) {
    while (!open_.empty()) Close(open_.begin()->first, time, done);
  }

  // Adds the peak resident memory of each process on this machine, from result.json.
  void AddMemory(const Json& workers) {
    for (const Json& worker : workers.is_array() ? workers : Json::array()) {
      const Json pid = worker.is_object() ? worker.value("pid", Json()) : Json();
      if (!pid.is_number_integer() || !worker.value("bytes", Json()).is_number_integer()) continue;
      for (Json& each : executors_) {
        if (each.value("pid", Json()) == pid) each["peak_bytes"] = worker["bytes"];
      }
    }
  }

  Json Take(bool running) {
    for (Json& each : executors_) {
      each["active"] = running && !each.contains("ended");
    }
    return std::move(executors_);
  }

 private:
  // A process that is also in a later gang is the same executor.
  void Open(const Json& seat, double time) {
    const std::string identity =
        TextAt(seat, "host") + " " + Dump(seat.value("pid", seat.value("rank", Json())));
    const auto [found, is_new] = known_.emplace(identity, executors_.size());
    if (is_new) {
      Json made = {{"id", std::to_string(executors_.size())}};
      for (const char* key : {"host", "pid", "cores", "gpus", "log"}) {
        if (seat.contains(key)) made[key] = seat[key];
      }
      made["began"] = time;
      made["tasks"] = Json::array();
      executors_.push_back(std::move(made));
    }
    Json& executor = executors_[found->second];
    executor.erase("ended");
    open_[RankOf(seat)] = found->second;
    if (executor["tasks"].size() >= kMostTasks) return;
    executor["tasks"].push_back({{"task", gang_["task"]},
                                 {"attempt", gang_["attempt"]},
                                 {"rank", seat.value("rank", Json())},
                                 {"began", time}});
  }

  // `done`: it did not end because of an error.
  Json* Close(const std::string& rank, double time, bool done) {
    const auto found = open_.find(rank);
    if (found == open_.end()) return nullptr;
    Json& executor = executors_[found->second];
    open_.erase(found);
    executor["ended"] = time;
    Json& last = executor["tasks"].back();
    if (!last.contains("ended")) {
      last["ended"] = time;
      last["done"] = done;
    }
    return &executor;
  }

  Json gang_;
  Json executors_ = Json::array();
  std::map<std::string, size_t> known_;  // By host and process.
  std::map<std::string, size_t> open_;   // By rank.
};

// Returns when the last gang was over: with the part "train", or with the run; 0 while it goes on.
double EndOf(const Json& overview, double placed) {
  const Json parts = overview.value("parts", Json::array());
  for (const Json& part : parts) {
    if (TextAt(part, "name") != "train" || !part.contains("ended")) continue;
    const double ended = part["ended"].get<double>();
    if (ended > placed) return ended;
  }
  if (TextAt(overview, "state") == "running") return 0;
  return overview.value("last_event", 0.0);
}

}  // namespace

Json ExecutorsOf(const Json& gangs, const Json& overview) {
  std::vector<std::pair<const Json*, bool>> all;  // With whether it places a gang.
  for (const Json& gang : gangs["gangs"]) all.emplace_back(&gang, true);
  for (const Json& change : gangs["changes"]) all.emplace_back(&change, false);
  std::ranges::stable_sort(all, {}, [](const auto& each) { return TimeOf(*each.first); });
  Seats seats;
  double placed = 0;
  for (const auto& [json, places] : all) {
    if (places) {
      seats.Place(*json);
      placed = TimeOf(*json);
    } else {
      seats.Change(*json);
    }
  }
  const std::string& state = TextAt(overview, "state");
  if (const double end = EndOf(overview, placed); end > 0) {
    seats.CloseAll(end, state == "running" || state == "done");
  }
  const Json result = overview.value("result", Json());
  const Json memory = result.is_object() ? result.value("memory", Json()) : Json();
  if (memory.is_object()) seats.AddMemory(memory.value("workers", Json()));
  return seats.Take(state == "running");
}

}  // namespace protium
