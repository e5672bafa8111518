// SPDX-License-Identifier: Apache-2.0
// Where a run may write: never over its inputs or its own records, and over other files only if it
// was allowed to. All checks happen before anything runs; refusals are faults of Exit::kUsage.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "frame/inputs.h"

namespace protium {

// Refuses a path with "..": a relative output is in the run folder, any other needs a full path.
Status RefuseUpward(const std::filesystem::path& path);

// Refuses a `target` that is an input, under whatever name (files are compared by device and inode,
// so links and spellings do not matter), a folder that holds inputs, or a new file that would match
// the pattern of an input.
Status RefuseInputs(const InputRecord& inputs, const std::filesystem::path& target);

// Refuses a `target` that is one of `read`, what a command reads beside tables (its job file, a
// model), or a file in a folder among them, under whatever name; also a folder that holds one.
Status RefuseRead(std::span<const std::filesystem::path> read, const std::filesystem::path& target);

// Refuses the files and folders that a run reserves for itself ("job.json", "logs/..."). `inside`
// is relative to the run folder.
Status RefuseOwnFiles(const std::filesystem::path& inside);
// Returns those of a run, whether they exist or not.
std::vector<std::filesystem::path> OwnFilesOf(const std::filesystem::path& run);

// Refuses a `target` that exists, including a dangling link.
Status RefuseExisting(const std::filesystem::path& target);

// What can be said of the output of a command before it opens anything: refuses one that exists,
// unless it may be replaced, and one in a folder that cannot be made or written to. Of a file that
// is, or lies in, one of `perhaps_read`, SessionState::CheckOutput() knows more once tables are
// open, so it passes here.
Status CheckNewOutput(const std::filesystem::path& target, bool replaces,
                      std::span<const std::filesystem::path> perhaps_read);

}  // namespace protium
