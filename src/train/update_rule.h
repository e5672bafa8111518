// SPDX-License-Identifier: Apache-2.0
// How weights follow their gradients: one rule for each optimiser by name. Every element is one
// chain of IEEE operations, so that neither ranges nor the width of vectors change bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "recipe/choice.h"
#include "train/update_kernels.h"

namespace protium {

// Neighbouring weights that make their `step`-th step, from 1, together.
struct UpdateRange {
  GradientScale scale;         // Its weight_decay and shrink are the rule's to set.
  const float* sum = nullptr;  // Of gradients.
  int64_t count = 0;
  float* weights = nullptr;
  std::span<float* const> state;  // One a name of state(), beginning at these weights.
  int64_t step = 1;
  double rate = 1;  // What the rule's learning rate is multiplied by.
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // Names of what it keeps beside every weight.
  virtual std::vector<std::string> state() const = 0;
  // Where all of that begins.
  virtual float initial() const { return 0; }
  // False when a gradient was not finite: the weights are spoiled then.
  virtual bool Update(const UpdateRange& range) const = 0;
};

// The rule of an optimiser chosen by name; an unknown one is refused with the nearest.
Result<std::unique_ptr<UpdateRule>> MakeUpdateRule(const Choice& optimizer);

}  // namespace protium
