// SPDX-License-Identifier: Apache-2.0
// How weights follow their gradients: one rule for each optimiser of the catalogue. A rule works
// out the numbers of a step that are the same for all weights, in double and each rounded once, and
// runs the loop of update_kernels.h. It keeps no state: what it remembers of each weight lies in
// the Optimizer's memory, from where it goes into checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/choice.h"
#include "train/update_kernels.h"

namespace protium {

// Neighbouring weights that make the same step at the same rate.
struct UpdateRange {
  GradientScale scale;         // The rule sets its weight_decay and shrink.
  const float* sum = nullptr;  // Gradients, summed over all shards.
  int64_t count = 0;
  float* weights = nullptr;
  std::span<float* const> state;  // One per name of state(), from these weights on.
  int64_t step = 1;               // How many these weights have made, this one included.
  double rate = 1;                // Multiplies the rule's learning rate.
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // Names of the numbers it keeps for every weight, which are also their names in a checkpoint.
  virtual std::vector<std::string> state() const = 0;
  // The value that all of them begin with.
  virtual float initial() const { return 0; }
  // Makes the step in place. False when a gradient was not finite: the weights are spoiled then.
  virtual bool Update(const UpdateRange& range) const = 0;
};

// The rule of an optimiser by name, with the defaults of protium/optimizers.h. A fault of
// Exit::kUsage for an unknown name, with the nearest one, and for options out of range.
Result<std::unique_ptr<UpdateRule>> MakeUpdateRule(const Choice& optimizer);

}  // namespace protium
