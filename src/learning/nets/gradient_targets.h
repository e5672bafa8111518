// SPDX-License-Identifier: Apache-2.0
// Where the nets of this folder write gradients. A matrix product overwrites its target, but a sink
// with `add` already holds the gradient of other shards. The tree over shards (docs/rows.md, "The
// sum over shards") requires one addition per element, of a shard's whole gradient; a kernel that
// accumulated into the sink would add its partial sums one by one, and the bits would depend on the
// shard's position in the tree. So such a gradient is computed in spare memory and added when it is
// complete.
#pragma once

#include <cstddef>
#include <vector>

#include "nets/mlp_kernels.h"
#include "tensor/net.h"

namespace protium {

// One per net. Spare memory is allocated on first use and reused from step to step.
class GradientTargets {
 public:
  // Memory for the gradient of parameter i: the sink's if it may be overwritten, otherwise spare
  // memory with undefined content.
  float* At(size_t i, const GradientSink& sink) {
    const FloatValues& parameter = sink.parameters[i];
    if (!sink.add) return parameter.data;
    if (spare_.size() < sink.parameters.size()) spare_.resize(sink.parameters.size());
    spare_[i].resize(size_t(parameter.count()));
    return spare_[i].data();
  }

  // Reports that the gradient of parameter i is complete; call it exactly once per parameter and
  // backward pass. Counts it in `defined`: the optimiser does not change a parameter for which no
  // shard had a gradient.
  void Settle(size_t i, const GradientSink& sink) {
    if (sink.add) AddTo(sink.parameters[i].host(), spare_[i]);
    sink.defined[i] += 1;
  }

 private:
  std::vector<std::vector<float>> spare_;
};

}  // namespace protium
