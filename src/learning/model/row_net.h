// SPDX-License-Identifier: Apache-2.0
// Runs a net of nets/layers.h in the calling process: packs rows and computes outputs.
#pragma once

#include <filesystem>
#include <memory>

#include "format/safetensors.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

// Reads the weights from a safetensors file, once. Refuses nets that are not made of layers before
// it reads the file. `int8`: the weights are rounded to 8 bits (nets/forward.h).
Result<std::shared_ptr<const RowPredictor>> OpenRowNet(const NetConfig& config,
                                                       const std::filesystem::path& weights,
                                                       bool int8 = false);
// The same from tensors, which came from the file `where`.
Result<std::shared_ptr<const RowPredictor>> MakeRowNet(const NetConfig& config,
                                                       const Safetensors& tensors,
                                                       const std::string& where);

}  // namespace protium
