// SPDX-License-Identifier: Apache-2.0
#include "whole/live_run.h"

#include <fstream>
#include <string>

namespace protium::whole {

namespace fs = std::filesystem;

fs::path OnlyRun(const Scratch& scratch) { return OnlyRun(scratch.path() / "runs"); }

fs::path OnlyRun(const fs::path& runs) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(runs, ignored)) {
    if (entry.is_directory()) return entry.path();
  }
  return {};
}

std::vector<Json> EventsOf(const Scratch& scratch) {
  std::vector<Json> events;
  std::ifstream lines(OnlyRun(scratch) / "events.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const auto json = ParseJson(line);
    if (json.ok()) events.push_back(*json);
  }
  return events;
}

std::vector<Json> EventsNamed(const Scratch& scratch, const std::string& name) {
  std::vector<Json> named = EventsOf(scratch);
  std::erase_if(named, [&](const Json& each) { return each.value("event", "") != name; });
  return named;
}

bool AwaitStep(Running& command, const Scratch& scratch, int64_t step) {
  return command.AwaitChange(scratch.path() / "runs", [&] {
    const fs::path run = OnlyRun(scratch);
    return !run.empty() && LastEventValue(run, "step") >= step;
  });
}

bool AwaitEvents(Running& command, const Scratch& scratch, const std::string& name, size_t count) {
  return command.AwaitChange(scratch.path() / "runs",
                             [&] { return EventsNamed(scratch, name).size() >= count; });
}

pid_t PidOfRank(const Scratch& scratch, int rank) {
  pid_t pid = -1;
  for (const Json& event : EventsOf(scratch)) {
    const std::string name = event.value("event", "");
    // Ranks that come later are members of an elastic gang.
    if (name == "member_start" && event["rank"] == rank) pid = event["pid"].get<pid_t>();
    if (name == "rank_taken_over" && event["rank"] == rank) pid = event["pid"].get<pid_t>();
    if (name != "gang_start") continue;
    for (const Json& seat : event["ranks"]) {
      if (seat["rank"] == rank) pid = seat["pid"].get<pid_t>();
    }
  }
  return pid;
}

bool SignalRank(const Scratch& scratch, int rank, int signal) {
  const pid_t pid = PidOfRank(scratch, rank);
  return pid > 1 && kill(pid, signal) == 0;
}

}  // namespace protium::whole
