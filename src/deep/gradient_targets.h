// SPDX-License-Identifier: Apache-2.0
// Where nets with kernels of their own make gradients. Kernels overwrite what they write to; a sink
// that is added to gets each gradient in one addition per element, once it is whole.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "deep/float_tensor.h"
#include "tensor/net.h"
#include "train/update_kernels.h"

namespace protium {

// One a net; keeps its memory from step to step. Calls may throw LibTorch's exceptions.
class GradientTargets {
 public:
  // Of gradients shaped as these, by parameter.
  void Bind(std::vector<at::Tensor> parameters) {
    parameters_ = std::move(parameters);
    spare_.resize(parameters_.size());
  }

  // Memory to make the gradient of parameter i in.
  at::Tensor At(size_t i, const GradientSink& sink) {
    if (!sink.add) return sink.parameters[i];
    if (!spare_[i].defined()) spare_[i] = at::empty_like(parameters_[i]);
    return spare_[i];
  }

  // The gradient of parameter i stands there, whole; once a backward.
  void Settle(size_t i, const GradientSink& sink) {
    if (sink.add) AddTo(FloatSpan(sink.parameters[i]), FloatSpan(spare_[i]));
    sink.defined[i] += 1;
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> spare_;
};

}  // namespace protium
