// SPDX-License-Identifier: Apache-2.0
// Rows through a net of nets/layers.h in the calling process: packed and computed.
#pragma once

#include <filesystem>
#include <memory>

#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

// With the weights in a safetensors file, which is not read again. Nets that are not made of layers
// are refused before the file is read.
Result<std::shared_ptr<const RowPredictor>> OpenRowNet(const NetConfig& config,
                                                       const std::filesystem::path& weights);

}  // namespace protium
