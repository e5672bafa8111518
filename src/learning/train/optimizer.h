// SPDX-License-Identifier: Apache-2.0
// An optimiser over all weights of a net, which lie in one flat piece of memory (tensor/weights.h).
// It decides which parameters move in a step and at which rate; the arithmetic is that of an
// UpdateRule. Every element is computed by one chain of IEEE operations, so neither ranges nor
// vector width change bits.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "protium/training.h"
#include "tensor/weights.h"
#include "train/update_rule.h"

namespace protium {

// A gradient as the reduction returns it. Its value is sum[i] / divisor * factor, clamped to
// [-limit, limit], where `sum` is over all shards, `divisor` is the sum of the rows' weights and
// `factor` that of clipping. Scaled while it is read, so that the sum is read once.
struct Gradient {
  std::span<const float> sum;
  float divisor = 1;
  float factor = 1;
  float limit = std::numeric_limits<float>::infinity();
  double rate = 1;  // Multiplies the learning rate: schedule and plateau of this step.
};

// Returns the factor of each parameter's learning rate, in the order of `parameters`: that of the
// first entry of `options` whose pattern matches its name, else 1. A pattern that matches no
// parameter is a fault of Exit::kUsage.
Result<std::vector<double>> ParameterRates(const std::vector<ParameterOptions>& options,
                                           const std::vector<Variable>& parameters);

// Called by one thread. Every rank holds a complete one and passes it the same sums, so all get the
// same weights.
class Optimizer {
 public:
  // For these weights, which must outlive it. `rates` has one factor per parameter
  // (ParameterRates()); empty: all are 1. A rate of 0 freezes the parameter. All state begins at
  // the rule's initial value. `threads` share the work on large nets.
  static Result<Optimizer> Make(const Choice& choice, Weights& weights,
                                std::vector<double> rates = {}, int32_t threads = 1);

  // Moves every parameter that is not frozen and whose `defined` is not 0 by one step. Returns
  // false when a gradient was NaN or infinite: the weights are unusable then, and training has to
  // return to a checkpoint.
  bool Step(const Gradient& gradient, std::span<const float> defined);

  // The L2 norm of the gradient `sum`, without the frozen parameters, whose gradients have no
  // effect.
  double Norm(std::span<const float> sum) const;

  // Sets all state to what it was at first.
  void Reset();

  // All state, borrowed, as it goes into a checkpoint. Load() reads it back; it refuses missing
  // tensors and other shapes, naming `where`.
  std::vector<NamedTensor> Tensors();
  Status Load(const Safetensors& file, const std::string& where);

 private:
  Optimizer(std::unique_ptr<UpdateRule> rule, Weights& weights, std::vector<double> rates);
  bool StepRange(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter);
  bool StepPart(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter);

  std::unique_ptr<UpdateRule> rule_;
  Weights* weights_;
  int32_t threads_ = 1;
  std::vector<double> rates_;
  bool all_learn_ = true;                  // No parameter is frozen.
  std::vector<int64_t> steps_;             // Made by each parameter.
  std::vector<std::vector<float>> state_;  // One per name of the rule's state().
};

}  // namespace protium
