// SPDX-License-Identifier: Apache-2.0
// What `protium doctor` checks: one finding for each thing that a job needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "base/status.h"

namespace protium {

// A thing that was checked: what was found, or the fault that would stop a job. The fault's `fix`
// says how to fix it.
struct Finding {
  std::string name;   // "memory"
  std::string found;  // "7.8 GiB, 6.1 free"
  Status status;
};

// Examines this machine: versions, cores, memory, the disk of the folder `runs`, shared memory,
// loopback ports, devices, LibTorch's library. Takes milliseconds; leaves nothing behind.
std::vector<Finding> ExamineMachine(const std::filesystem::path& runs);

// Examines the engine at `address`, from a query with tasks on every executor of a cluster to a
// gang of two whose ranks load LibTorch and add up a number; ends by call.deadline. Logs go to
// `folder`. `options` are the engine's own, as in [engine.NAME] of a job file.
std::vector<Finding> ExamineEngine(const std::string& address, const Json& options,
                                   const std::filesystem::path& folder, const Call& call);

// Checks whether something listens at the host of "sc://...", trying each of its addresses for at
// most five seconds; returns OK without trying if a proxy is in between.
Status ReachHost(const std::string& address);

}  // namespace protium
