// SPDX-License-Identifier: Apache-2.0
// The nets of nets/layers.h when LibTorch is available: their own kernels on the CPU, LibTorch's
// operations over the same layers (operations_net.h) on staged devices.
#pragma once

#include "tensor/net.h"

namespace protium {

// Returns all of them by name.
NetTable LayeredNets();

}  // namespace protium
