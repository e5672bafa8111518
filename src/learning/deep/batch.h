// SPDX-License-Identifier: Apache-2.0
// Packed rows for LibTorch nets: their fields as tensors, without a copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "tensor/batch.h"

namespace protium {

// Rows on the CPU or, if they have a copy there (BatchRows::there()), on a device.
class Batch : public BatchRows {
 public:
  using BatchRows::BatchRows;
  explicit Batch(const BatchRows& rows, at::Device device = at::kCPU)
      : BatchRows(rows), device_(device) {}

  // A view [size, elements] of float32 or int32, on the device where the net computes. Throws
  // c10::Error for a field that does not exist.
  at::Tensor operator[](std::string_view field) const;

 private:
  at::Device device_ = at::kCPU;
};

}  // namespace protium
