// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace protium {

// How an engine's worker processes are started, and where.
struct WorkerSettings {
  int32_t seats = 0;           // "local[4]": 4, strict. 0: as many as a gang asks for.
  std::filesystem::path logs;  // rank-000.log, ...; empty: workers share the driver's stderr.
  std::filesystem::path program = "/proc/self/exe";
  int64_t memory_bytes = 0;         // For the rings; 0: chosen.
  std::filesystem::path discovery;  // Prints this machine's devices; empty: the driver is asked.
  std::filesystem::path leases;     // Where processes note who has which; empty: LeaseFolder().
};

}  // namespace protium
