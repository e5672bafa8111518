// SPDX-License-Identifier: Apache-2.0
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
  Predictor(Net& net, RowShape shape);
  // One output per row, on the scale of the packed label. A category outside its cardinality and
  // LibTorch's errors are faults.
  Status Predict(const RowBlock& rows, std::span<float> out);

 private:
  Net& net_;
  RowShape shape_;
  std::vector<float> padded_;
};

// Refuses the first category that is not in 0 .. cardinality - 1, with column number and value.
Status CheckCategories(const RowBlock& rows, std::span<const int64_t> cardinalities,
                       std::span<const std::string> names);

}  // namespace protium
