// SPDX-License-Identifier: Apache-2.0
#include "run/peak_memory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace protium {
namespace {

namespace fs = std::filesystem;

// Reads "VmHWM: 123456 kB" of /proc/PID/status; 0 for a process that has ended.
int64_t PeakOf(const std::string& pid) {
  std::ifstream status("/proc/" + pid + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

}  // namespace

Json PeakMemory() {
  Json memory = {{"driver_bytes", PeakOf("self")}};
  constexpr size_t kMostWorkers = 1000;
  Json workers = Json::array();
  int64_t most = 0;
  std::error_code error;
  // Children belong to the thread that started them.
  for (const auto& thread : fs::directory_iterator("/proc/self/task", error)) {
    std::ifstream children(thread.path() / "children");
    for (int64_t pid = 0; children >> pid;) {
      const int64_t bytes = PeakOf(std::to_string(pid));
      most = std::max(most, bytes);
      if (bytes > 0 && workers.size() < kMostWorkers) {
        workers.push_back({{"pid", pid}, {"bytes", bytes}});
      }
    }
  }
  if (most > 0) memory.update({{"worker_bytes", most}, {"workers", std::move(workers)}});
  return memory;
}

}  // namespace protium
