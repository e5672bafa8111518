// SPDX-License-Identifier: Apache-2.0
// Optimisers over one flat piece of memory, in which all parameters lie. Every element is one chain
// of IEEE operations, so that neither ranges nor the width of vectors change bits. Rules and
// defaults are those of torch.optim.Adam and SGD.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "tensor/weights.h"

namespace protium {

enum class OptimizerKind { kAdam, kSgd };

struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double weight_decay = 0;  // Added to the gradient, times the weight.
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0;  // Of kSgd.
};

// A gradient as it comes out of the reduction: sum[i] / divisor * factor, with the sum over all
// shards, the sum of weights and the factor of clipping. Scaled on the way, so that the sum is read
// once.
struct Gradient {
  std::span<const float> sum;
  float divisor = 1;
  float factor = 1;
};

class Optimizer {
 public:
  // For these weights, which must outlive it. All state begins at 0.
  Optimizer(const OptimizerSpec& spec, Weights& weights);

  // Moves every parameter whose `defined` is not 0 by one step. False when a gradient was NaN or
  // infinite: the weights are spoiled then, and training has to go back to a checkpoint.
  bool Step(const Gradient& gradient, std::span<const float> defined);

  // All state, borrowed, as it goes into a checkpoint; and the way back. Load() refuses missing
  // tensors and other shapes, naming `where`.
  std::vector<NamedTensor> Tensors();
  Status Load(const Safetensors& file, const std::string& where);

 private:
  bool StepRange(const Gradient& gradient, int64_t begin, int64_t count, int64_t step);

  OptimizerSpec spec_;
  Weights& weights_;
  std::vector<int64_t> steps_;  // A parameter's own count.
  std::vector<float> first_;    // Adam's first moment, or SGD's velocity.
  std::vector<float> second_;
};

}  // namespace protium
