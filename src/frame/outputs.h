// SPDX-License-Identifier: Apache-2.0
// What a run may write to: never its inputs, and nobody's file unless it was told to.
#pragma once

#include <filesystem>

#include "frame/inputs.h"

namespace protium {

// Refuses a path with "..": outputs lie in the run folder or at a whole path.
Status RefuseUpward(const std::filesystem::path& path);

// Refuses `target` where it is an input by this or any other name (links and spellings too), a
// folder with inputs in it, or a new file in a folder whose files are read as one table and whose
// pattern it fits.
Status RefuseInputs(const InputRecord& inputs, const std::filesystem::path& target);

// Refuses files that a run keeps for itself ("job.json", "logs/..."). `inside` is relative to the
// run folder.
Status RefuseOwnFiles(const std::filesystem::path& inside);

// Refuses a `target` that is there.
Status RefuseExisting(const std::filesystem::path& target);

}  // namespace protium
