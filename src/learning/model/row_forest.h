// SPDX-License-Identifier: Apache-2.0
// Runs a forest in the calling process: packs rows, which may lack any cell, and computes outputs.
#pragma once

#include <filesystem>
#include <memory>

#include "format/safetensors.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

// Reads the forest from a safetensors file (trees/forest_file.h), once.
Result<std::shared_ptr<const RowPredictor>> OpenRowForest(const NetConfig& config,
                                                          const std::filesystem::path& weights);
// The same from tensors, which came from the file `where`.
Result<std::shared_ptr<const RowPredictor>> MakeRowForest(const NetConfig& config,
                                                          const Safetensors& tensors,
                                                          const std::string& where);

}  // namespace protium
