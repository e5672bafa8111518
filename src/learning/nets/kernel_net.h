// SPDX-License-Identifier: Apache-2.0
// The nets of layers.h with kernels of their own: on the CPU, without LibTorch, and with the same
// bits on every processor and for any number of threads.
#pragma once

#include <memory>

#include "nets/layers.h"
#include "tensor/net.h"

namespace protium {

// The layers of a net for these inputs. Options and columns that make none are faults of
// Exit::kUsage.
Result<Layers> DescribeNet(const Choice& net, const NetInputs& inputs);

// The net with these layers, on the CPU. What it predicts is what forward.h computes.
std::unique_ptr<Net> MakeKernelNet(Layers layers, const NetInputs& inputs);

// All of them, by name.
NetTable KernelNets();

}  // namespace protium
