// SPDX-License-Identifier: Apache-2.0
// Removing a run's folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"

namespace protium {

// The bytes of all files below a folder; links are not followed.
int64_t FolderBytes(const std::filesystem::path& folder);

// Removes the folder of a run that nobody works on; of one that goes on nothing, which is a fault
// of Exit::kUsage. A folder without run.json is none (Exit::kInput).
Status RemoveRun(const std::filesystem::path& folder);

}  // namespace protium
