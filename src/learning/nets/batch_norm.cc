// SPDX-License-Identifier: Apache-2.0
#include "nets/batch_norm.h"

#include <cmath>

#include "nets/layers.h"

namespace protium {

void BatchNorm::Forward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
                        float* out) {
  const auto width = size_t(columns);
  const double n = double(rows);
  frozen_ = false;
  mean_.assign(width, 0);
  deviation_.assign(width, 0);
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < width; ++j) mean_[j] += double(in[size_t(i) * width + j]);
  }
  for (double& mean : mean_) mean /= n;
  // A second pass: the difference of two large sums would lose the digits of a small variance.
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < width; ++j) {
      const double apart = double(in[size_t(i) * width + j]) - mean_[j];
      deviation_[j] += apart * apart;
    }
  }
  for (size_t j = 0; j < width; ++j) {
    const double squares = deviation_[j];
    deviation_[j] = 1 / std::sqrt(squares / n + kNormEpsilon);
    float& running = tensors.running_mean[j];
    running = float((1 - kNormMomentum) * double(running) + kNormMomentum * mean_[j]);
    float& variance = tensors.running_variance[j];
    variance = float((1 - kNormMomentum) * double(variance) + kNormMomentum * squares / (n - 1));
  }
  Normalise(in, rows, tensors, out);
}

void BatchNorm::ForwardFrozen(const float* in, int64_t rows, int64_t columns,
                              const NormTensors& tensors, float* out) {
  const auto width = size_t(columns);
  frozen_ = true;
  mean_.resize(width);
  deviation_.resize(width);
  for (size_t j = 0; j < width; ++j) {
    mean_[j] = double(tensors.running_mean[j]);
    deviation_[j] = 1 / std::sqrt(double(tensors.running_variance[j]) + kNormEpsilon);
  }
  Normalise(in, rows, tensors, out);
}

void BatchNorm::Normalise(const float* in, int64_t rows, const NormTensors& tensors,
                          float* out) const {
  const size_t width = mean_.size();
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < width; ++j) {
      const size_t at = size_t(i) * width + j;
      const double normal = (double(in[at]) - mean_[j]) * deviation_[j];
      out[at] = float(normal * double(tensors.weight[j]) + double(tensors.bias[j]));
    }
  }
}

// With x' the normalised input and g the derivative by the output, the derivative by x is
// weight / deviation / n * (n g - sum(g) - x' sum(g x')): mean and variance depend on every row.
// Frozen ones depend on none, and it is weight / deviation * g.
void BatchNorm::Backward(const float* in, int64_t rows, int64_t columns, const NormTensors& tensors,
                         float* gradient, float* weight, float* bias) {
  const auto width = size_t(columns);
  const double n = double(rows);
  sums_.assign(width, 0);
  products_.assign(width, 0);
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < width; ++j) {
      const size_t at = size_t(i) * width + j;
      const double g = double(gradient[at]);
      sums_[j] += g;
      products_[j] += g * ((double(in[at]) - mean_[j]) * deviation_[j]);
    }
  }
  for (size_t j = 0; j < width; ++j) {
    bias[j] = float(sums_[j]);
    weight[j] = float(products_[j]);
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < width; ++j) {
      const size_t at = size_t(i) * width + j;
      if (frozen_) {
        gradient[at] = float(double(tensors.weight[j]) * deviation_[j] * double(gradient[at]));
        continue;
      }
      const double normal = (double(in[at]) - mean_[j]) * deviation_[j];
      const double all = n * double(gradient[at]) - sums_[j] - normal * products_[j];
      gradient[at] = float(double(tensors.weight[j]) * deviation_[j] / n * all);
    }
  }
}

}  // namespace protium
