// SPDX-License-Identifier: Apache-2.0
// The floats of tensors, for loops of our own. Tensors are contiguous float32 here; nothing checks
// it.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace protium {

// The elements of a contiguous tensor of float32; may throw LibTorch's exceptions.
inline float* FloatData(const at::Tensor& tensor) { return tensor.data_ptr<float>(); }
inline std::span<float> FloatSpan(const at::Tensor& tensor) {
  return {FloatData(tensor), size_t(tensor.numel())};
}

}  // namespace protium
