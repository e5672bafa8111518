// SPDX-License-Identifier: Apache-2.0
// Removes a run's folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"

namespace protium {

// The bytes of all files below a folder; links are not followed.
int64_t FolderBytes(const std::filesystem::path& folder);

// Removes the folder of a run. If the run is still going on, removes nothing and fails with
// Exit::kUsage. A folder without run.json is not a run (Exit::kInput).
Status RemoveRun(const std::filesystem::path& folder);

}  // namespace protium
