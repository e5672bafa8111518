// SPDX-License-Identifier: Apache-2.0
// What `protium doctor` looks at: one finding for each thing that a job needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/status.h"

namespace protium {

// A thing that was looked at: what was found, or the fault that would stop a job. The fault's `fix`
// is the fix.
struct Finding {
  std::string name;   // "memory"
  std::string found;  // "7.8 GiB, of them 6.1 free"
  Status status;
};

// This machine: versions, cores, memory, the disk of the folder `runs`, shared memory, loopback
// ports, devices, LibTorch's library. Takes milliseconds; leaves nothing behind.
std::vector<Finding> ExamineMachine(const std::filesystem::path& runs);

// The engine at `address`, from a query over tasks on every executor of a cluster to a gang of two
// whose ranks load LibTorch and add up a number; ends with call.deadline. Logs go to `folder`.
std::vector<Finding> ExamineEngine(const std::string& address, const std::filesystem::path& folder,
                                   const Call& call);

// Whether something listens at the host of "sc://...", asked for at most five seconds for each of
// its addresses; OK unasked where a proxy stands between.
Status ReachHost(const std::string& address);

}  // namespace protium
