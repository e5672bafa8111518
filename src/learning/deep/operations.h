// SPDX-License-Identifier: Apache-2.0
// The nets of nets/layers.h where there is LibTorch: on the CPU their own kernels, on staged
// devices LibTorch's operations, over the same layers (operations_net.h).
#pragma once

#include "tensor/net.h"

namespace protium {

// All of them, by name.
NetTable LayeredNets();

}  // namespace protium
