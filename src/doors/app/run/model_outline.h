// SPDX-License-Identifier: Apache-2.0
// What `protium inspect` shows of a model folder and of a file of weights.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Returns a model folder as one object: its JSON files under their names without ".json",
// "weights_sha256", "tensors", and of trees "forest" (DrawnForest::Summary()). A model without an
// estimator has no weights.
Result<Json> ModelAsJson(const std::filesystem::path& folder);
Result<Json> WeightsAsJson(const std::filesystem::path& file);

// Formats either as text; missing parts are omitted. Of trees it says what the forest is, of
// anything else which tensors there are.
std::string ModelAsText(const Json& model);

}  // namespace protium
