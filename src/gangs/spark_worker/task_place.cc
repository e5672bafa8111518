// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "os/fd.h"
#include "os/machine.h"

namespace protium {

std::vector<Device> ListDevices(const TaskInit& init) {
  std::vector<Device> devices;
  for (const auto& [key, resource] : init.resources) {
    for (const std::string& address : resource.addresses) devices.push_back({key, address});
  }
  return devices;
}

RankFailure DescribeTask(const TaskInit& init, const SparkCommand& command) {
  return {.role = command.gang ? "rank" : "partition",
          .rank = command.lease ? command.lease->seat : init.partition,
          .world = command.world,
          .host = HostName(),
          .devices = ListDevices(init),
          .log = command.gang && !command.lease ? LogFile(command.log, init.partition) : ""};
}

namespace {

// Returns a folder of the executor's own scratch files, which are removed with it; tasks take the
// folders in turn, as they may be on several disks.
std::string LocalFolder(int32_t task) {
  const char* const listed = std::getenv("SPARK_LOCAL_DIRS");
  std::vector<std::string> folders;
  std::istringstream list(listed == nullptr ? "" : listed);
  for (std::string folder; std::getline(list, folder, ',');) {
    if (::access(folder.c_str(), W_OK) == 0) folders.push_back(folder);
  }
  return folders.empty() ? std::string() : folders[size_t(task) % folders.size()];
}

}  // namespace

void SetEnvironment(const TaskInit& init) {
  const std::string threads = std::to_string(init.cpus);
  // Spark sets it to spark.task.cpus, which may differ from the task's resource profile.
  ::setenv("OMP_NUM_THREADS", threads.c_str(), 1);
  ::setenv("MKL_NUM_THREADS", threads.c_str(), 1);
  const std::string scratch = LocalFolder(init.partition);
  if (!scratch.empty()) ::setenv("TMPDIR", scratch.c_str(), 1);
  const auto gpus = init.resources.find("gpu");
  if (gpus == init.resources.end()) return;
  const std::string visible = fmt::format("{}", fmt::join(gpus->second.addresses, ","));
  ::setenv("CUDA_VISIBLE_DEVICES", visible.c_str(), 1);
  // Spark's addresses are indices of the discovery script, usually nvidia-smi's, which sorts by
  // bus.
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
}

Status RedirectLog(const std::string& folder, int32_t rank) {
  const std::string path = LogFile(folder, rank);
  const UniqueFd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) return SystemFault("write the log " + path + " on " + HostName(), errno);
  std::fprintf(stderr, "protium: rank %d writes to %s\n", rank, path.c_str());
  ::dup2(log.get(), STDOUT_FILENO);
  ::dup2(log.get(), STDERR_FILENO);
  return Status::OK();
}

}  // namespace protium
