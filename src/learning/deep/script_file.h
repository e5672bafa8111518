// SPDX-License-Identifier: Apache-2.0
// Nets as TorchScript modules with their weights, which any program with LibTorch can load.
#pragma once

#include <torch/script.h>

#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "pipeline/script_file.h"
#include "pipeline/torch_task.h"

namespace protium {

// Makes the net of this configuration, with copies of these tensors under their names, in
// evaluation mode. Reads a net `torchscript` from its file. Fails with Exit::kInput if the net's
// tensors and the list do not match. May throw LibTorch's exceptions (tensor/guard.h).
Result<torch::jit::Module> MakeScript(const NetConfig& config,
                                      const std::vector<NamedTensor>& tensors);

}  // namespace protium
