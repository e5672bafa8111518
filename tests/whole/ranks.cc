// SPDX-License-Identifier: Apache-2.0
#include "whole/ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace protium::whole {

namespace fs = std::filesystem;

Json LastGang(const fs::path& runs) {
  Json ranks;
  for (const auto& run : fs::directory_iterator(runs)) {
    std::ifstream lines(run.path() / "events.jsonl");
    for (std::string line; std::getline(lines, line);) {
      const auto event = ParseJson(line);
      if (event.ok() && event->value("event", "") == "gang_start") ranks = (*event)["ranks"];
    }
  }
  return ranks;
}

pid_t FindPid(const fs::path& runs, int rank) {
  const Json ranks = LastGang(runs);
  return ranks.is_null() ? 0 : ranks[size_t(rank)]["pid"].get<pid_t>();
}

pid_t FindParent(pid_t process) {
  std::ifstream lines("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("PPid:")) continue;
    const pid_t parent = std::stoi(line.substr(5));
    if (parent > 1) return parent;
  }
  ADD_FAILURE() << "process " << process << " is not there";
  return ::getpid() + (1 << 22);  // No process has this number.
}

}  // namespace protium::whole
