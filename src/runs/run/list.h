// SPDX-License-Identifier: Apache-2.0
// The runs in a folder of runs: all of them, or the one that a user means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/folder.h"
#include "run/labels.h"

namespace protium {

struct RunEntry {
  std::filesystem::path folder;
  RunHeader header;
  RunLabels labels;
  // run.json says "running", but nobody holds the lock, here or elsewhere: it was killed.
  bool cut_off = false;
  // "done", "failed", "stopped", "running" or "cut off".
  std::string state() const;
};

// The runs in the folder `runs`, oldest first. Folders without a readable run.json are skipped; a
// missing folder is an empty list.
std::vector<RunEntry> ListRuns(const std::filesystem::path& runs);

// Finds a run by "last", "last~1" (the one before), the path of its folder, the folder's name, a
// tag, or a unique beginning of the name. Otherwise a fault of Exit::kInput that lists the
// candidates.
Result<std::filesystem::path> FindRun(const std::filesystem::path& runs, const std::string& what);

// Refuses (Exit::kUsage) a tag that a run other than `run` has, or that the name of such a run
// begins with: the tag would not identify one run.
Status CheckTagIsFree(const std::filesystem::path& runs, const std::string& tag,
                      const std::filesystem::path& run);

// Gives the tag to a run and takes it from all others; at no moment has no run the tag.
Status MoveTag(const std::filesystem::path& runs, const std::string& tag,
               const std::filesystem::path& run);

}  // namespace protium
