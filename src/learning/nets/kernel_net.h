// SPDX-License-Identifier: Apache-2.0
// The nets of layers.h with our own kernels: on the CPU, without LibTorch, and with the same bits
// on every processor and for any number of threads.
#pragma once

#include <memory>

#include "nets/layers.h"
#include "tensor/net.h"

namespace protium {

// Returns the layers of a net for these inputs. Fails with Exit::kUsage for invalid options or
// columns.
Result<Layers> DescribeNet(const Choice& net, const NetInputs& inputs);

// Makes the net with these layers, on the CPU. Its predictions are those of forward.h.
std::unique_ptr<Net> MakeKernelNet(Layers layers, const NetInputs& inputs);

// Returns all of them by name.
NetTable KernelNets();

}  // namespace protium
