// SPDX-License-Identifier: Apache-2.0
// Outputs that depend on a row and the weights alone: not on the rows beside it, nor on how a table
// was cut into batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/net.h"

namespace protium {

// Rows of every forward that predicts. A row's output must not depend on its neighbours, and a
// matrix product of another height sums in another order: so the height is always this one, and
// short blocks are padded with rows of zeros.
inline constexpr int64_t kPredictRows = 1024;

// Runs a net over rows, without randomness and without changing it. Keeps its scratch memory.
class Predictor {
 public:
  // `net`, of so many outputs a row, must outlive it.
  Predictor(Net& net, int64_t outputs) : net_(net), outputs_(outputs) {}
  // [rows, outputs] as the net gives them. LibTorch's errors, and outputs of another shape, are
  // faults.
  Status Predict(const Batch& rows, std::span<float> out);

 private:
  Status PredictBlock(const Batch& block, int64_t rows, float* out);

  Net& net_;
  int64_t outputs_;
  std::vector<std::byte> padded_;
};

// Fails unless what a net gave for so many rows is float32 [rows, outputs], contiguous.
Status CheckOutputs(const at::Tensor& given, int64_t rows, int64_t outputs);

// Refuses the first category that is not in 0 .. cardinality - 1, with column number and value.
Status CheckCategories(const Batch& rows, std::span<const int64_t> cardinalities);

}  // namespace protium
