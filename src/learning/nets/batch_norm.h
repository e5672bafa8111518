// SPDX-License-Identifier: Apache-2.0
// Batch normalisation in training, forward and backward (Ioffe and Szegedy, 2015). Means and
// variances are summed in double in the order of the rows. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace protium {

// The parameters that normalise the columns, and their running statistics.
struct NormTensors {
  const float* weight = nullptr;
  const float* bias = nullptr;
  float* running_mean = nullptr;
  float* running_variance = nullptr;
};

// The batch norm of one layer.
class BatchNorm {
 public:
  // out = (in - mean) / sqrt(variance + epsilon) * weight + bias, both [rows, columns] and not
  // overlapping; at least two rows. Uses the batch's statistics and moves the running ones by
  // kNormMomentum: the variance used here is over n, the running one over n - 1.
  void Forward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
               float* out);
  // The same with the running statistics, which stay as they are; any number of rows.
  void ForwardFrozen(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
                     float* out);
  // The backward pass of the last forward, with its `in`: turns `gradient` from the derivative by
  // `out` into that by `in`, and sets `weight` and `bias` to the derivatives by the parameters.
  void Backward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
                float* gradient, float* weight, float* bias);

 private:
  void Normalise(const float* in, int64_t rows, const NormTensors& tensors, float* out) const;

  bool frozen_ = false;  // The last forward was ForwardFrozen().
  std::vector<double> mean_;
  std::vector<double> deviation_;  // Inverse.
  std::vector<double> sums_;
  std::vector<double> products_;
};

}  // namespace protium
