// SPDX-License-Identifier: Apache-2.0
// Where nets with kernels of their own write gradients. A kernel such as mm_out overwrites its
// target, but a sink with `add` already holds the gradient of other shards. The tree over shards
// (docs/rows.md, "The sum over shards") wants one addition per element, of the whole gradient of a
// shard; letting a kernel accumulate into the sink would add its partial sums one by one, and the
// bits would depend on where the shard stands in the tree. So such a gradient is made in spare
// memory and added when it is complete.
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

// One per net. Spare memory is allocated on first use and kept from step to step. Calls may throw
// LibTorch's exceptions.
class GradientTargets {
 public:
  // Takes the parameters, whose shapes gradients have. Call it again after the net is bound to
  // other memory.
  void Bind(std::vector<at::Tensor> parameters) {
    parameters_ = std::move(parameters);
    spare_.resize(parameters_.size());
  }

  // Memory for the gradient of parameter i: that of the sink where it may be overwritten, else
  // spare memory with undefined content.
  at::Tensor At(size_t i, const GradientSink& sink) {
    if (!sink.add) return sink.parameters[i];
    if (!spare_[i].defined()) spare_[i] = at::empty_like(parameters_[i]);
    return spare_[i];
  }

  // Says that the gradient of parameter i is complete; exactly once per parameter and backward.
  // `defined` counts it: the optimiser leaves a parameter alone that no shard had a gradient for.
  void Settle(size_t i, const GradientSink& sink) {
    if (sink.add) AddTo(FloatSpan(sink.parameters[i]), FloatSpan(spare_[i]));
    sink.defined[i] += 1;
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> spare_;
};

}  // namespace protium
