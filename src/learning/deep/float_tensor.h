// SPDX-License-Identifier: Apache-2.0
// Raw access to the elements of tensors, for loops of our own. Tensors here are contiguous float32
// on the CPU. LibTorch checks the type; the caller makes sure that they are contiguous.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <span>
#include <vector>

#include "tensor/device.h"
#include "tensor/values.h"

namespace protium {

// The elements of a contiguous tensor of float32; may throw LibTorch's exceptions.
inline float* FloatData(const at::Tensor& tensor) { return tensor.data_ptr<float>(); }
inline std::span<float> FloatSpan(const at::Tensor& tensor) {
  return {FloatData(tensor), size_t(tensor.numel())};
}

// Where LibTorch computes for `device`: for a GPU, the first visible one.
inline at::Device DeviceOf(const ComputeDevice& device) {
  return device.is_gpu() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

// Wraps FloatValues from training in a separate tensor on `device`: LibTorch's views would share
// one version counter.
inline at::Tensor TensorOf(const FloatValues& values, at::Device device = at::kCPU) {
  return at::for_blob(values.data, values.shape)
      .options(at::TensorOptions(at::kFloat).device(device))
      .target_device(device)
      .make_tensor();
}

// The values of a contiguous float32 tensor, borrowed.
inline FloatValues ValuesOf(const at::Tensor& tensor) {
  return {FloatData(tensor), tensor.sizes().vec()};
}

inline std::vector<at::Tensor> TensorsOf(std::span<const FloatValues> values,
                                         at::Device device = at::kCPU) {
  std::vector<at::Tensor> tensors;
  for (const FloatValues& each : values) tensors.push_back(TensorOf(each, device));
  return tensors;
}

}  // namespace protium
