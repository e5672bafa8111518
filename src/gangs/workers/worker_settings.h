// SPDX-License-Identifier: Apache-2.0
// How an engine's worker processes are started.
#pragma once

#include <cstdint>
#include <filesystem>

namespace protium {

struct WorkerSettings {
  // "local[4]": 4, strict. 0: as many as a gang asks for.
  int32_t seats = 0;
  // Folder of rank-000.log, ...; empty: workers share the driver's stderr.
  std::filesystem::path logs;
  // What is started as a worker: this very program.
  std::filesystem::path program = "/proc/self/exe";
  // Prints this machine's devices; empty: the driver library is asked.
  std::filesystem::path discovery;
  // Where processes note who holds which device; empty: LeaseFolder().
  std::filesystem::path leases;
  // Seconds that a worker without a gang may give no sign of life; a gang has its own deadline.
  double deadline = 60;
};

}  // namespace protium
