// SPDX-License-Identifier: Apache-2.0
// Nets from TorchScript files, which torch.jit.save writes and any program with LibTorch can read.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `torchscript` of protium/nets.h (TorchScriptOptions): the saved module, with the
// parameters in the file. Its forward takes the fields that `inputs` names, in that order (whole
// numbers as int64), and returns [rows, outputs]. A field that rows do not have is refused, with
// the nearest name.
Result<std::unique_ptr<Net>> MakeTorchScript(const Json& options, const NetInputs& inputs);

}  // namespace protium
