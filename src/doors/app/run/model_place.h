// SPDX-License-Identifier: Apache-2.0
// Which model a user means.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// Returns the absolute path of a model: `what` itself if it is an ONNX file, or a folder but not a
// run, otherwise the model of the run that FindRun(runs, what) finds, such as "last" or a tag. A
// run that has made no model and a name that matches nothing are faults of Exit::kInput.
Result<std::filesystem::path> FindModel(const std::filesystem::path& runs, const std::string& what);

// Returns where a run's model is according to its result, relative to where the run is now, since
// it may have moved; empty for a run without a model.
std::filesystem::path ModelPlace(const std::filesystem::path& run);

}  // namespace protium
