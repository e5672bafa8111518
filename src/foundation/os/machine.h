// SPDX-License-Identifier: Apache-2.0
// The resources of this machine that this process may use: in a container the kernel shows the
// whole machine, and only the cgroup knows the limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace protium {

struct Machine {
  int32_t cores = 1;               // By affinity and the cgroup's quota, rounded down, at least 1.
  int64_t memory_bytes = 0;        // The smaller of the machine's memory and the cgroup's limit.
  int64_t available_bytes = 0;     // The part of memory_bytes that is not in use now.
  bool limited_by_cgroup = false;  // memory_bytes is a cgroup's limit.
  // The part of the last 10 s in which some process waited for memory to be freed, 0 to 1; 0 where
  // the kernel does not say (CONFIG_PSI).
  double memory_stall = 0;
};

// Reads /proc and /sys (cgroup versions 1 and 2) below `root`.
Machine ReadMachine(const std::filesystem::path& root = "/");

std::string HostName();

}  // namespace protium
