// SPDX-License-Identifier: Apache-2.0
// An optimiser over all weights of a net: who moves, how far, and the state that goes along.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "recipe/training.h"
#include "tensor/weights.h"
#include "train/update_rule.h"

namespace protium {

// The gradient is sum[i] / divisor * factor, cut to what lies between -limit and limit.
struct Gradient {
  std::span<const float> sum;
  float divisor = 1;
  float factor = 1;
  float limit = std::numeric_limits<float>::infinity();
  double rate = 1;  // What the learning rate is multiplied by in this step.
};

// What the learning rate of each parameter is multiplied by: 1, or as the first of `options` says
// that fits its name. A pattern that fits none is refused.
Result<std::vector<double>> ParameterRates(const std::vector<ParameterOptions>& options,
                                           const std::vector<Variable>& parameters);

class Optimizer {
 public:
  // For weights of this layout, which must outlive it. `rates`: one a parameter (ParameterRates());
  // without any, all are 1.
  static Result<Optimizer> Make(const Choice& choice, Weights& weights,
                                std::vector<double> rates = {});

  // Moves every parameter whose `defined` is not 0 and that is not frozen by one step. False when a
  // gradient was NaN or infinite: the weights are spoiled then.
  bool Step(const Gradient& gradient, std::span<const float> defined);

  // The L2 norm of what these sums are of the parameters that are not frozen.
  double Norm(std::span<const float> sum) const;

  // All state, borrowed; and what came back from a checkpoint's file.
  std::vector<NamedTensor> Tensors();
  Status Load(const Safetensors& file, const std::string& where);

 private:
  Optimizer(std::unique_ptr<UpdateRule> rule, Weights& weights, std::vector<double> rates);
  bool StepRange(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter);

  std::unique_ptr<UpdateRule> rule_;
  Weights* weights_;
  std::vector<double> rates_;
  bool all_learn_ = true;                  // No parameter is frozen.
  std::vector<int64_t> steps_;             // A parameter's own count.
  std::vector<std::vector<float>> state_;  // One a name of the rule's state(), of weights' size.
};

}  // namespace protium
