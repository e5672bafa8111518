// SPDX-License-Identifier: Apache-2.0
// Two runs side by side.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"

namespace protium {

// Returns {"runs": [a, b], "weights": {"equal", "a", "b"}, "settings", "inputs", "versions",
// "search", "metrics", "seconds"}. Weights are the hashes of the models' parameters, null if there
// is no model, and then "equal" is null too. The others are lists of {"key", "a", "b"}: search (the
// facts of search_report.h), metrics and seconds are complete, with differences first; the rest
// contain only differences.
Json CompareRuns(const std::filesystem::path& a, const std::filesystem::path& b);
std::string ComparedAsText(const Json& compared);

}  // namespace protium
