// SPDX-License-Identifier: Apache-2.0
#include "pool/newborn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "base/fault.h"

extern char** environ;

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::array kLimits = {RLIMIT_AS,     RLIMIT_CORE,  RLIMIT_CPU,
                                RLIMIT_DATA,   RLIMIT_FSIZE, RLIMIT_MEMLOCK,
                                RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK};

// The environment of a child: NAME=value, each ended by a zero byte.
std::string PackEnvironment(const EnvironmentList& more) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t end = text.find('=');
    if (end == std::string_view::npos || end == 0) continue;
    all.emplace(text.substr(0, end), text.substr(end + 1));
  }
  for (const auto& [name, value] : more) all[name] = value;
  std::string packed;
  for (const auto& [name, value] : all) packed += name + "=" + value + '\0';
  return packed;
}

void TakeEnvironment(std::string_view packed) {
  ::clearenv();
  while (!packed.empty()) {
    const std::string_view entry = packed.substr(0, packed.find('\0'));
    packed.remove_prefix(std::min(packed.size(), entry.size() + 1));
    const size_t end = entry.find('=');
    if (end == std::string_view::npos || end == 0) continue;
    ::setenv(std::string(entry.substr(0, end)).c_str(), std::string(entry.substr(end + 1)).c_str(),
             1);
  }
}

Json LimitsOfProcess() {
  Json limits = Json::array();
  for (const auto which : kLimits) {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0) continue;
    limits.push_back(Json::array({int(which), limit.rlim_cur, limit.rlim_max}));
  }
  return limits;
}

// A limit cannot become higher than the pool's own; it is as high as it can be then.
void TakeLimits(const Json& limits) {
  for (const Json& each : limits) {
    if (!each.is_array() || each.size() != 3 || !each[0].is_number_integer() ||
        !each[1].is_number_integer() || !each[2].is_number_integer()) {
      continue;
    }
    const auto which = static_cast<__rlimit_resource>(each[0].get<int>());
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0) continue;
    limit.rlim_max = std::min(limit.rlim_max, each[2].get<rlim_t>());
    limit.rlim_cur = std::min(limit.rlim_max, each[1].get<rlim_t>());
    ::setrlimit(which, &limit);
  }
}

Json CoresOfProcess() {
  Json cores = Json::array();
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void TakeCores(const Json& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const Json& each : cores) {
    if (!each.is_number_integer()) continue;
    const auto core = each.get<int64_t>();
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &set);
  }
  // Cores that this machine has lost meanwhile are ignored by the kernel.
  if (CPU_COUNT(&set) > 0) ::sched_setaffinity(0, sizeof set, &set);
}

Result<UniqueFd> OpenToWrite(const fs::path& log) {
  if (log.empty()) {
    UniqueFd fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd) return SystemFault("pass stderr on", errno);
    return fd;
  }
  UniqueFd fd(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return SystemFault("write " + log.string(), errno);
  return fd;
}

// umask(2) only returns it by changing it, which other threads would notice.
int64_t UmaskOfProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Umask:")) return std::strtol(line.c_str() + 6, nullptr, 8);
  }
  return 022;
}

}  // namespace

Status SendBecome(Link& worker, const EnvironmentList& more, const fs::path& log) {
  PT_LET(const UniqueFd output, OpenToWrite(log));
  // Not by name: it may have been removed or moved.
  const UniqueFd folder(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return SystemFault("open the working folder", errno);
  const int fds[] = {output.get(), folder.get()};
  return worker.Send({{"type", "become"},
                      {"umask", UmaskOfProcess()},
                      {"nice", ::getpriority(PRIO_PROCESS, pid_t(::getpid()))},
                      {"cores", CoresOfProcess()},
                      {"limits", LimitsOfProcess()}},
                     PackEnvironment(more), fds);
}

Status Become(Link& driver) {
  PT_LET(const auto frame, driver.Receive(kNever));
  if (!frame) return Status::IOError("the driver is gone");
  if (frame->type != "become" || frame->fds.size() != 2) {
    return Status::Invalid("a worker's first message is not what it becomes");
  }
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int log = frame->fds[0].get();
  if (::dup2(nothing.get(), 0) < 0 || ::dup2(log, 1) < 0 || ::dup2(log, 2) < 0 ||
      ::fchdir(frame->fds[1].get()) != 0) {
    return SystemFault("enter the driver's folder", errno);
  }
  ::umask(mode_t(WholeAt(frame->head, "umask", 022)) & 0777);
  // It may not be lower than the pool's.
  ::setpriority(PRIO_PROCESS, 0, int(WholeAt(frame->head, "nice")));
  TakeCores(frame->head.value("cores", Json::array()));
  TakeEnvironment(frame->raw);
  TakeLimits(frame->head.value("limits", Json::array()));
  return Status::OK();
}

}  // namespace protium
