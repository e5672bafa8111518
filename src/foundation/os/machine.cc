// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace protium {

namespace {

namespace fs = std::filesystem;

// The first number of a file; nullopt for "max", an absurd number or a missing file.
std::optional<int64_t> NumberIn(const fs::path& path) {
  std::ifstream in(path);
  int64_t number = 0;
  if (!(in >> number) || number < 0 || number >= INT64_MAX / 2) return std::nullopt;
  return number;
}

// The kilobytes of a line such as "MemTotal: 16 kB", in bytes.
int64_t MeminfoBytes(const fs::path& root, const std::string& key) {
  std::ifstream in(root / "proc/meminfo");
  std::string name;
  int64_t kilobytes = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> name >> kilobytes && name == key + ":") return kilobytes * 1024;
  }
  return 0;
}

struct Cgroup {
  std::string controllers;  // Empty in version 2.
  std::string path;
};

std::vector<Cgroup> ReadCgroups(const fs::path& root) {
  std::vector<Cgroup> all;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    all.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return all;
}

// The folders of `cgroup` and of its ancestors that are visible here, innermost first. In a
// container the process's own path is often not visible, but the mount's root is the container's
// group.
std::vector<fs::path> ListFolders(const fs::path& mount, const std::string& path) {
  std::vector<fs::path> folders;
  fs::path relative = fs::path(path).relative_path();
  for (;; relative = relative.parent_path()) {
    folders.push_back(relative.empty() ? mount : mount / relative);
    if (relative.empty()) return folders;
  }
}

struct Limits {
  std::optional<double> cores;
  std::optional<int64_t> memory;
  int64_t used = 0;
};

void AddMemory(const fs::path& folder, const char* limit, const char* usage, Limits& limits) {
  // "max" is not a number, and version 1 writes about 2^63 for no limit: NumberIn() drops both.
  const auto bytes = NumberIn(folder / limit);
  if (!bytes || (limits.memory && *limits.memory <= *bytes)) return;
  limits.memory = bytes;
  limits.used = NumberIn(folder / usage).value_or(0);
}

// Microseconds of CPU time in each period; "max" or -1 is no limit.
void AddCores(std::optional<int64_t> quota, std::optional<int64_t> period, Limits& limits) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return;
  const double cores = static_cast<double>(*quota) / static_cast<double>(*period);
  limits.cores = std::min(limits.cores.value_or(cores), cores);
}

void AddCpuMax(const fs::path& folder, Limits& limits) {
  std::ifstream in(folder / "cpu.max");
  int64_t quota = 0;
  int64_t period = 0;
  if (in >> quota >> period) AddCores(quota, period, limits);
}

// The tightest limit of any group that this process is in, at any level. Version 1 has a hierarchy
// per controller, version 2 a single one (cgroups(7)).
Limits CgroupLimits(const fs::path& root) {
  Limits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  for (const Cgroup& cgroup : ReadCgroups(root)) {
    if (cgroup.controllers.empty()) {
      for (const fs::path& folder : ListFolders(mount, cgroup.path)) {
        AddMemory(folder, "memory.max", "memory.current", limits);
        AddCpuMax(folder, limits);
      }
      continue;
    }
    for (const fs::path& folder : ListFolders(mount / cgroup.controllers, cgroup.path)) {
      AddMemory(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", limits);
      AddCores(NumberIn(folder / "cpu.cfs_quota_us"), NumberIn(folder / "cpu.cfs_period_us"),
               limits);
    }
  }
  return limits;
}

// Of a line such as "some avg10=1.53 avg60=0.87 avg300=0.73 total=1218418", in percent.
double StallIn(const fs::path& path) {
  std::ifstream in(path);
  std::string kind, word;
  constexpr std::string_view kName = "avg10=";
  while (in >> kind >> word) {
    if (kind == "some" && word.starts_with(kName)) {
      return std::strtod(word.c_str() + kName.size(), nullptr) / 100;
    }
  }
  return 0;
}

// The most of the machine and of the groups of version 2 that this process is in.
double MemoryStall(const fs::path& root) {
  double stall = StallIn(root / "proc/pressure/memory");
  for (const Cgroup& cgroup : ReadCgroups(root)) {
    if (!cgroup.controllers.empty()) continue;
    for (const fs::path& folder : ListFolders(root / "sys/fs/cgroup", cgroup.path)) {
      stall = std::max(stall, StallIn(folder / "memory.pressure"));
    }
  }
  return std::clamp(stall, 0.0, 1.0);
}

// sched_setaffinity(2), taskset and cpusets all narrow it.
int32_t CoresByAffinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int32_t>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

Machine ReadMachine(const fs::path& root) {
  const Limits limits = CgroupLimits(root);
  Machine machine;
  machine.cores = CoresByAffinity();
  if (limits.cores) machine.cores = std::min(machine.cores, static_cast<int32_t>(*limits.cores));
  machine.cores = std::max(machine.cores, 1);
  machine.memory_stall = MemoryStall(root);
  machine.memory_bytes = MeminfoBytes(root, "MemTotal");
  machine.available_bytes = MeminfoBytes(root, "MemAvailable");
  if (limits.memory && *limits.memory < machine.memory_bytes) {
    machine.memory_bytes = *limits.memory;
    machine.limited_by_cgroup = true;
    // Memory that is free on the machine may still exceed the group's limit.
    const int64_t left = std::max<int64_t>(0, *limits.memory - limits.used);
    machine.available_bytes = std::min(machine.available_bytes, left);
  }
  return machine;
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

}  // namespace protium
