// SPDX-License-Identifier: Apache-2.0
// A GPU as a device to compute on, with memory from LibTorch's allocators.
#pragma once

#include "base/status.h"
#include "tensor/device.h"

namespace protium {

// Opens the first GPU in CUDA_VISIBLE_DEVICES. Loads LibTorch's CUDA libraries, makes all kernels
// of this process repeatable and starts CUDA. Fails with Exit::kEnvironment if this LibTorch has no
// CUDA, the driver is too old for it, there is no such device, or it cannot be used.
Result<ComputeDevice> OpenGpu();

}  // namespace protium
