// SPDX-License-Identifier: Apache-2.0
// Two runs side by side.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"

namespace protium {

// {"runs": [a, b], "weights": {"equal", "a", "b"}, "settings", "inputs", "versions", "metrics",
// "seconds"}. Weights are the hashes of the models' parameters, null where there is no model, and
// "equal" is null with them. The others are lists of {"key", "a", "b"}: metrics and seconds are
// complete, those that differ first, and of the rest only what differs is there.
Json CompareRuns(const std::filesystem::path& a, const std::filesystem::path& b);
std::string ComparedAsText(const Json& compared);

}  // namespace protium
