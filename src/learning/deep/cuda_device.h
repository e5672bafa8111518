// SPDX-License-Identifier: Apache-2.0
// A GPU as a device to compute on, its memory that of LibTorch's allocators.
#pragma once

#include "base/status.h"
#include "tensor/device.h"

namespace protium {

// The first GPU that CUDA_VISIBLE_DEVICES shows. Loads LibTorch's CUDA libraries, makes all kernels
// of this process repeatable and starts CUDA. Faults of Exit::kEnvironment: this LibTorch has no
// CUDA, the driver is too old for it, there is no such device, or it cannot be used.
Result<ComputeDevice> OpenGpu();

}  // namespace protium
