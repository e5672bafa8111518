// SPDX-License-Identifier: Apache-2.0
// The options of the built-in schedules: what becomes of the learning rate while training goes on.
// The rate of a step follows from the options, the step and the number of steps in all; only
// reduce_on_plateau also looks at how training goes. Public API.
#pragma once

#include <cstdint>
#include <string>

#include "recipe/choice.h"

namespace protium {

Choice ConstantRate();

// Each `every_steps` steps, or each share `every` of all steps, multiplies the rate by `factor`.
struct StepScheduleOptions {
  int64_t every_steps = 0;
  double every = 0.3;
  double factor = 0.1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every_steps", every_steps,
          {.help = "0: as `every` says", .unit = "steps", .at_least = 0});
    visit("every", every,
          {.help = "share of all steps after which the rate drops", .above = 0, .below = 1});
    visit("factor", factor,
          {.help = "what the rate is multiplied by when it drops", .above = 0, .below = 1});
  }
};
Choice StepSchedule(const StepScheduleOptions& options = {});

// From the learning rate down to the share `final` of it, along half a wave of the cosine.
struct CosineOptions {
  double final = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("final", final,
          {.help = "share of the learning rate left in the end", .at_least = 0, .below = 1});
  }
};
Choice Cosine(const CosineOptions& options = {});

// Up to the learning rate and down again, each along half a wave of the cosine (Smith and Topin,
// 2018), as OneCycleLR of PyTorch does for the rate; momentum stays.
struct OneCycleOptions {
  double peak = 0.3;
  double start = 0.04;
  double final = 4e-6;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("peak", peak, {.help = "share of all steps until the peak", .above = 0, .below = 1});
    visit("start", start,
          {.help = "share of the learning rate to begin with", .above = 0, .below = 1});
    visit("final", final,
          {.help = "share of the learning rate left in the end", .at_least = 0, .below = 1});
  }
};
Choice OneCycle(const OneCycleOptions& options = {});

// Multiplies the rate by `factor` whenever the metric `best` on the validation rows, without any
// the loss, has got no better for more than `patience` epochs; as ReduceLROnPlateau of PyTorch.
struct ReduceOnPlateauOptions {
  double factor = 0.1;
  int64_t patience = 10;
  double least = 1e-4;
  int64_t cooldown = 0;
  double final = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("factor", factor,
          {.help = "what the rate is multiplied by when it drops", .above = 0, .below = 1});
    visit("patience", patience,
          {.help = "how many may pass without getting better", .unit = "epochs", .at_least = 0});
    visit("least", least,
          {.help = "share by which the best so far must be beaten", .at_least = 0, .below = 1});
    visit("cooldown", cooldown,
          {.help = "after a drop, not counted", .unit = "epochs", .at_least = 0});
    visit("final", final, {.help = "lowest share of the learning rate", .at_least = 0, .below = 1});
  }
};
Choice ReduceOnPlateau(const ReduceOnPlateauOptions& options = {});

}  // namespace protium
