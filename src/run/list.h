// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/folder.h"

namespace protium {

struct RunEntry {
  std::filesystem::path folder;
  RunHeader header;
  bool cut_off = false;  // Says "running", yet nobody holds its lock: it was killed.
  // "done", "failed", "stopped", "running" or "cut off".
  std::string state() const;
};

// The runs below `runs`, oldest first. Folders that are no runs are passed over; none is no error.
std::vector<RunEntry> ListRuns(const std::filesystem::path& runs);

// Finds a run by "last", "last~1" (the one before), the path of its folder, its name or a unique
// beginning of it.
Result<std::filesystem::path> FindRun(const std::filesystem::path& runs, const std::string& what);

}  // namespace protium
