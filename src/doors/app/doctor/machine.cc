// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <arpa/inet.h>
#include <arrow/config.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <protium/version.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "app/doctor/finding.h"
#include "base/fault.h"
#include "base/units.h"
#include "os/devices.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/library.h"
#include "os/memfd.h"
#include "pipeline/torch_folder.h"
#include "pipeline/torch_library.h"
#include "pool/place.h"
#include "pool/pool_client.h"

namespace protium {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kLeastMemory = int64_t{512} << 20;  // A driver and one worker with LibTorch.
constexpr int64_t kLeastDisk = int64_t{256} << 20;    // A run with a few checkpoints.
constexpr int64_t kShared = 1 << 20;

Status Wrong(std::string what, std::string fix, std::string why = "") {
  return Fail({.exit = Exit::kEnvironment,
               .what = std::move(what),
               .why = std::move(why),
               .fix = std::move(fix)});
}

Finding Memory(const Machine& machine) {
  Finding finding{"memory", fmt::format("{}{}, {} free", BytesText(machine.memory_bytes),
                                        machine.limited_by_cgroup ? " (the limit of a cgroup)" : "",
                                        BytesText(machine.available_bytes))};
  if (machine.available_bytes < kLeastMemory) {
    finding.status = Wrong("less than " + BytesText(kLeastMemory) + " of memory is free",
                           "end other processes, or raise the limit of the container");
  }
  return finding;
}

// Checks the folder of runs, or its nearest existing parent, since `run` makes the rest.
Finding Disk(const fs::path& runs) {
  std::error_code error;
  fs::path folder = fs::absolute(runs);
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const fs::space_info space = fs::space(folder, error);
  Finding finding{"disk", fmt::format("{} free for runs in {}", BytesText(int64_t(space.available)),
                                      runs.string())};
  const fs::path probe = folder / fmt::format(".protium-doctor-{}", getpid());
  finding.status = WriteFile(probe, "x");
  fs::remove(probe, error);
  const bool little = int64_t(space.available) < kLeastDisk;
  if (!finding.status.ok()) {
    finding.status = Wrong("cannot write to " + folder.string(),
                           "keep runs elsewhere: --runs-dir DIR, or PROTIUM_RUNS_DIR",
                           FaultOf(finding.status).what);
  } else if (little) {
    finding.status = Wrong("less than " + BytesText(kLeastDisk) + " of disk is free",
                           "protium runs rm removes runs; --runs-dir DIR keeps them elsewhere");
  }
  return finding;
}

// Batches and gradients pass through shared memory.
Finding SharedMemory() {
  const auto use = []() -> Status {
    PT_LET(const Memfd memory, Memfd::Make("protium-doctor", kShared));
    PT_LET(const Mapping mapping, memory.Map());
    std::memset(mapping.data(), 1, size_t(mapping.size()));
    return Status::OK();
  };
  return {"shared memory", "can be created and mapped", use()};
}

Status ConnectToItself() {
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  const bool connected = ::bind(server.get(), at, size) == 0 && ::listen(server.get(), 1) == 0 &&
                         ::getsockname(server.get(), at, &size) == 0 &&
                         ::connect(client.get(), at, size) == 0;
  if (connected) return Status::OK();
  return Wrong("cannot connect to a port of this machine",
               "allow connections to 127.0.0.1: ip link set lo up, or the firewall",
               std::strerror(errno));
}

Finding Devices() {
  const DeviceList devices = DiscoverByDriver();
  Finding finding{"devices", "none: training uses the CPU"};
  if (devices.addresses.empty()) return finding;
  finding.found = fmt::format("{} {}s", devices.addresses.size(), devices.name);
  // Only jobs that ask for devices need CUDA's libraries.
  const Status libraries = CheckGpuLibraries();
  if (!libraries.ok()) finding.found += "; to use them: " + FaultOf(libraries).fix;
  return finding;
}

// No job needs one.
Finding Pool() {
  constexpr const char* kUsers = "users share the machine without arbitration";
  const fs::path socket = PoolSocket();
  if (socket.empty()) return {"pool", fmt::format("switched off; {}", kUsers)};
  const auto link = AttachToPool(socket, "protium doctor");
  if (link.ok()) return {"pool", fmt::format("running at {}; {}", socket.string(), kUsers)};
  const Fault fault = FaultOf(link.status());
  const bool none = fault.exit == Exit::kInput;
  return {"pool",
          fmt::format("{}; {}",
                      none ? "not running (protium pool start)" : "cannot be used: " + fault.what,
                      kUsers)};
}

// Ranks load it for real, on this machine or another; here it is enough that it exists.
Finding TorchLibrary() {
  const fs::path file = (OwnLibraryFolder() / kTorchLibraryFile).lexically_normal();
  std::error_code error;
  Finding finding{"libtorch", file.string()};
  if (!fs::exists(file, error)) {
    finding.status = Wrong(file.string() + " is missing, so nothing can be trained",
                           "build with PROTIUM_WITH_TORCH=ON, as the preset release does");
  } else {
    const Result<fs::path> given = GivenLibTorch();
    finding.status = given.status();
    if (given.ok() && !given->empty()) finding.found = given->string();
  }
  return finding;
}

}  // namespace

std::vector<Finding> ExamineMachine(const fs::path& runs) {
  const Machine machine = ReadMachine();
  return {{"version", "protium " PROTIUM_VERSION ", arrow " ARROW_VERSION_STRING},
          {"cores", fmt::format("{} on {}", machine.cores, HostName())},
          Memory(machine),
          Disk(runs),
          SharedMemory(),
          {"loopback", "ports can be opened and reached", ConnectToItself()},
          Devices(),
          Pool(),
          TorchLibrary()};
}

}  // namespace protium
