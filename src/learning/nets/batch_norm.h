// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of a training forward and its derivative (Ioffe and Szegedy, 2015). Means and
// variances are summed in double in the order of the rows. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace protium {

// What normalises the columns, and how far their running statistics have come.
struct NormTensors {
  const float* weight = nullptr;
  const float* bias = nullptr;
  float* running_mean = nullptr;
  float* running_variance = nullptr;
};

// One layer's.
class BatchNorm {
 public:
  // out = (in - mean) / sqrt(variance + epsilon) * weight + bias, both [rows, columns] and apart;
  // at least two rows. Statistics are the batch's, and move the running ones by kNormMomentum: the
  // variance that divides is over n, the running one over n - 1.
  void Forward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
               float* out);
  // Of the last Forward(), with its `in`: makes `gradient`, the derivative by `out`, that by `in`;
  // `weight` and `bias` become those by the parameters.
  void Backward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
                float* gradient, float* weight, float* bias);

 private:
  std::vector<double> mean_;
  std::vector<double> deviation_;  // Inverse.
  std::vector<double> sums_;
  std::vector<double> products_;
};

}  // namespace protium
