// SPDX-License-Identifier: Apache-2.0
// The nets of the room nets where there is LibTorch: on the CPU they are those themselves, on
// staged devices the same layers as LibTorch's operations (operations_net.h). What they refuse is
// the same.
#pragma once

#include "tensor/net.h"

namespace protium {

Result<std::unique_ptr<Net>> MakeLinearAnywhere(const Json& options, const NetInputs& inputs);
Result<std::unique_ptr<Net>> MakeTabularMlpAnywhere(const Json& options, const NetInputs& inputs);
Result<std::unique_ptr<Net>> MakeWideAndDeepAnywhere(const Json& options, const NetInputs& inputs);

}  // namespace protium
