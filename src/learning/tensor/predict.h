// SPDX-License-Identifier: Apache-2.0
// Outputs that depend on a row and the weights alone: not on neighbouring rows, nor on how a table
// was cut into batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/device.h"
#include "tensor/net.h"
#include "tensor/row_block.h"

namespace protium {

// Runs a net over rows, without randomness and without changing it. Reuses its scratch memory.
//
// A row's output must not depend on its neighbours, and a matrix product of another height sums in
// another order. So every forward has the same number of rows, that of the device
// (ComputeDevice::predict_rows()), and short blocks are padded with rows of zeros. Nets that
// compute each row by itself (Net::rows_apart()) get the rows as they come.
class Predictor {
 public:
  // `net`, with `outputs` per row and made for `device`, must outlive it.
  Predictor(Net& net, int64_t outputs, const ComputeDevice& device = {})
      : net_(net), outputs_(outputs), device_(device), block_(device) {}
  // Writes [rows, outputs] of the net. An exception of the net is a fault.
  Status Predict(const BatchRows& rows, std::span<float> out);

 private:
  bool apart() const { return net_.rows_apart() && !device_.staged(); }
  Status PredictBlock(const BatchRows& block, int64_t rows, float* out);

  Net& net_;
  int64_t outputs_;
  ComputeDevice device_;
  RowBlock block_;  // For padding, and for copies to a device.
  FloatRoom outputs_here_;
};

}  // namespace protium
