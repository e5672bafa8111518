// SPDX-License-Identifier: Apache-2.0
// Nets from files that torch.jit.save wrote, by a program of any language.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `torchscript` of recipe/nets.h (TorchScriptOptions): a file that torch.jit.save wrote,
// with its parameters as they are there. Its forward takes the fields that `inputs` names, in that
// order (whole numbers as int64), and gives [rows, outputs].
Result<std::unique_ptr<Net>> MakeTorchScript(const Json& options, const NetInputs& inputs);

}  // namespace protium
