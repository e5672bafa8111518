// SPDX-License-Identifier: Apache-2.0
// Which model a user means.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// The absolute path of a model: `what` itself if it is a folder that is no run, else the model of
// the run that FindRun(runs, what) finds, such as "last" or a tag. A run that has made no model,
// and a name of nothing, are faults of Exit::kInput.
Result<std::filesystem::path> FindModel(const std::filesystem::path& runs, const std::string& what);

// Where the model of a run lies by its result, looked up from where the run is now, since it may
// have moved; empty for a run without one.
std::filesystem::path ModelPlace(const std::filesystem::path& run);

}  // namespace protium
