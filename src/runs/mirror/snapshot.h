// SPDX-License-Identifier: Apache-2.0
// The files of a run folder at one moment, while others write to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "mirror/cache.h"

namespace protium {

// `at` is where to read it: the file itself or another name of it.
struct SnapshotFile {
  std::string path;  // Relative to the run folder.
  std::filesystem::path at;
};

// Lists the files of the run in `folder` that outlive it: without locks, spilled rows and drafts.
// Checkpoints come and go together and name one another, so they are listed as they were at one
// moment, and get other names in `scratch` (hard links, else copies), which is emptied before. A
// file that is not among them may be gone when it is read.
Result<std::vector<SnapshotFile>> TakeSnapshot(const std::filesystem::path& folder,
                                               const std::filesystem::path& scratch);

// Whether the file only grows: the event log and the logs of workers.
bool OnlyGrows(const std::string& path);

}  // namespace protium
