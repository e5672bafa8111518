// SPDX-License-Identifier: Apache-2.0
// The floats of tensors, for loops of our own. Tensors are contiguous float32 here; nothing checks
// it.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace protium {

// The elements of a contiguous tensor of float32; may throw LibTorch's exceptions.
inline float* DataOf(const at::Tensor& tensor) { return tensor.data_ptr<float>(); }
inline std::span<float> SpanOf(const at::Tensor& tensor) {
  return {DataOf(tensor), size_t(tensor.numel())};
}

}  // namespace protium
