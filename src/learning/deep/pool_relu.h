// SPDX-License-Identifier: Apache-2.0
// Max pooling followed by ReLU, as one operation of LibTorch's recording.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace protium {

// relu(max_pool2d(x, size)) of images [rows, channels, height, width], to the bit and with the same
// derivative; float32. On the CPU several times as fast, mostly backwards (pool_kernels.h).
at::Tensor PoolRelu(const at::Tensor& x, int64_t size);

}  // namespace protium
