// SPDX-License-Identifier: Apache-2.0
// Where the nets of this room write gradients. A matrix product overwrites its target, but a sink
// with `add` already holds the gradient of other shards. The tree over shards (docs/rows.md, "The
// sum over shards") wants one addition per element, of the whole gradient of a shard; letting a
// kernel accumulate into the sink would add its partial sums one by one, and the bits would depend
// on where the shard stands in the tree. So such a gradient is made in spare memory and added when
// it is complete.
#pragma once

#include <cstddef>
#include <vector>

#include "nets/mlp_kernels.h"
#include "tensor/net.h"

namespace protium {

// One per net. Spare memory is allocated on first use and kept from step to step.
class GradientTargets {
 public:
  // Memory for the gradient of parameter i: that of the sink where it may be overwritten, else
  // spare memory with undefined content.
  float* At(size_t i, const GradientSink& sink) {
    const FloatValues& parameter = sink.parameters[i];
    if (!sink.add) return parameter.data;
    if (spare_.size() < sink.parameters.size()) spare_.resize(sink.parameters.size());
    spare_[i].resize(size_t(parameter.count()));
    return spare_[i].data();
  }

  // Says that the gradient of parameter i is complete; exactly once per parameter and backward.
  // `defined` counts it: the optimiser leaves a parameter alone that no shard had a gradient for.
  void Settle(size_t i, const GradientSink& sink) {
    if (sink.add) AddTo(sink.parameters[i].host(), spare_[i]);
    sink.defined[i] += 1;
  }

 private:
  std::vector<std::vector<float>> spare_;
};

}  // namespace protium
