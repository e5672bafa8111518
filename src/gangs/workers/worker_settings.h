// SPDX-License-Identifier: Apache-2.0
// How an engine's worker processes are started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace protium {

struct WorkerSettings {
  // "local[4]": 4, strict. 0: as many as a gang requests.
  int32_t seats = 0;
  // Folder of rank-000.log, ...; empty: workers share the driver's stderr.
  std::filesystem::path logs;
  // The program to start as a worker: this one.
  std::filesystem::path program = "/proc/self/exe";
  // A script that prints this machine's devices; empty: use the driver library.
  std::filesystem::path discovery;
  // Where processes record who holds which device; empty: LeaseFolder().
  std::filesystem::path leases;
  // The pool's socket, empty: none; not set: PoolSocket(). `who` is what others see there.
  std::optional<std::filesystem::path> pool;
  std::string who;
  // How many seconds a worker without a gang may be silent; a gang has its own deadline.
  double deadline = 60;
};

}  // namespace protium
