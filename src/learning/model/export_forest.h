// SPDX-License-Identifier: Apache-2.0
// The forest of a model for other programs: what they predict from its columns is what the model
// predicts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "trees/carried_forest.h"

namespace protium {

struct ExportedForest {
  CarriedForest carried;           // The scale of labels and a temperature are in its scales.
  std::vector<std::string> notes;  // What the forest leaves to its users.
};

// Fails with Exit::kUsage for a model without a forest, and, by name, for predictions that are more
// than a sum of leaves and an exponential.
Result<ExportedForest> ExportForest(const std::filesystem::path& model);

}  // namespace protium
