// SPDX-License-Identifier: Apache-2.0
// How weights follow their gradients: one rule for each optimiser of the catalogue. A rule computes
// the numbers of a step that are the same for all weights, in double and each rounded once, and
// runs the loop of update_kernels.h. It has no state of its own: what it remembers of each weight
// lies in the Optimizer's memory, from where it goes into checkpoints.
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

// Neighbouring weights that make the same step at the same rate, or rows of a table side by side.
struct UpdateRange {
  GradientScale scale;         // The rule sets its weight_decay and shrink.
  const float* sum = nullptr;  // Gradients, summed over all shards.
  int64_t count = 0;
  float* weights = nullptr;
  // One per name of state(), starting at these weights; of rows, where the rule's state is by row,
  // a number for each.
  std::span<float* const> state;
  int64_t step = 1;       // How many steps these weights have made, including this one.
  double rate = 1;        // Multiplies the rule's learning rate.
  int64_t row_width = 0;  // Above 0: these are rows of a table, of so many weights.
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // Names of the numbers stored for every weight; a checkpoint uses the same names.
  virtual std::vector<std::string> state() const = 0;
  // Initial value of all of them.
  virtual float initial() const { return 0; }
  // Whether tables have one of these numbers for each row instead.
  virtual bool state_by_row() const { return false; }
  // Makes the step in place. Returns false when a gradient was not finite: the weights are unusable
  // then.
  virtual bool Update(const UpdateRange& range) const = 0;
};

// Makes the rule of an optimiser by name, with the defaults of protium/optimizers.h. An unknown
// name is a fault of Exit::kUsage that names the nearest one; so are options out of range.
Result<std::unique_ptr<UpdateRule>> MakeUpdateRule(const Choice& optimizer);

}  // namespace protium
