// SPDX-License-Identifier: Apache-2.0
// What a run's search has tried, for people and for comparing runs.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"

namespace protium {

// Returns how many trials ended how, the best of them, or with several metrics the front, and the
// importance of options; empty for a run that is no search.
std::string SearchAsText(const std::filesystem::path& run);

// Returns the same as flat facts: {"trials", "done", "pruned", "failed", "best trial", "best rmse",
// "best PATH": value, "importance of PATH": share}; an empty object for a run that is no search.
Json SearchFacts(const std::filesystem::path& run);

}  // namespace protium
