// SPDX-License-Identifier: Apache-2.0
#include "app/run/peak_memory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace protium {
namespace {

namespace fs = std::filesystem;

// "VmHWM:	  123456 kB" of /proc/PID/status; 0 for a process that is gone.
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
  int64_t most = 0;
  std::error_code error;
  // Children belong to the thread that started them.
  for (const auto& thread : fs::directory_iterator("/proc/self/task", error)) {
    std::ifstream children(thread.path() / "children");
    for (std::string pid; children >> pid;) most = std::max(most, PeakOf(pid));
  }
  if (most > 0) memory["worker_bytes"] = most;
  return memory;
}

}  // namespace protium
