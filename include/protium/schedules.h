// SPDX-License-Identifier: Apache-2.0
// The options of the built-in schedules: how the learning rate changes during training. A schedule
// gives each step a factor for the optimizer's learning rate. The factor depends only on the
// options, the step and the total number of steps after the warm-up; only reduce_on_plateau depends
// on the results of training. The arithmetic is in train/schedule.cc and train/plateau.h.
#pragma once

#include <cstdint>
#include <string>

#include "protium/choice.h"

namespace protium {

// The factor is always 1.
Choice ConstantRate();

// Multiplies the rate by `factor` every `every_steps` steps or, if that is 0, each time another
// share `every` of all steps is done. As torch.optim.lr_scheduler.StepLR, counted in steps, not
// epochs.
struct StepScheduleOptions {
  int64_t every_steps = 0;
  double every = 0.3;
  double factor = 0.1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("every_steps", every_steps,
          {.help = "steps between drops; 0: `every` decides", .unit = "steps", .at_least = 0});
    visit("every", every, {.help = "share of all steps between drops", .above = 0, .below = 1});
    visit("factor", factor,
          {.help = "factor by which each drop multiplies the rate", .above = 0, .below = 1});
  }
};
Choice StepSchedule(const StepScheduleOptions& options = {});

// From the learning rate down to the share `final` of it; at the share t of all steps the factor is
//   final + (1 - final) * (1 + cos(pi * t)) / 2
// as in torch.optim.lr_scheduler.CosineAnnealingLR (Loshchilov and Hutter, 2017, without restarts).
struct CosineOptions {
  double final = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("final", final, {.help = "final share of the learning rate", .at_least = 0, .below = 1});
  }
};
Choice Cosine(const CosineOptions& options = {});

// Up to the learning rate and down again, each along half a wave of the cosine (Smith and Topin,
// 2018), as torch.optim.lr_scheduler.OneCycleLR; unlike there, momentum stays as it is. The
// defaults are PyTorch's: start is 1 / div_factor with div_factor = 25, final is start /
// final_div_factor with final_div_factor = 1e4.
struct OneCycleOptions {
  double peak = 0.3;
  double start = 0.04;
  double final = 4e-6;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("peak", peak, {.help = "share of all steps until the peak", .above = 0, .below = 1});
    visit("start", start, {.help = "initial share of the learning rate", .above = 0, .below = 1});
    visit("final", final, {.help = "final share of the learning rate", .at_least = 0, .below = 1});
  }
};
Choice OneCycle(const OneCycleOptions& options = {});

// Multiplies the rate by `factor` whenever more than `patience` epochs have passed without an
// improvement of the metric `best` on the validation rows, or of the training loss if there are
// none. As torch.optim.lr_scheduler.ReduceLROnPlateau, with its relative threshold (`least`).
struct ReduceOnPlateauOptions {
  double factor = 0.1;
  int64_t patience = 10;  // Epochs.
  double least = 1e-4;    // Better is below best * (1 - least), or above best * (1 + least).
  int64_t cooldown = 0;   // Epochs after a drop that do not count towards `patience`.
  double final = 0;       // The rate drops no further than this share of the learning rate.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("factor", factor,
          {.help = "factor by which each drop multiplies the rate", .above = 0, .below = 1});
    visit(
        "patience", patience,
        {.help = "epochs without improvement that are tolerated", .unit = "epochs", .at_least = 0});
    visit("least", least,
          {.help = "relative improvement that counts as better", .at_least = 0, .below = 1});
    visit("cooldown", cooldown,
          {.help = "epochs after a drop that are not counted", .unit = "epochs", .at_least = 0});
    visit("final", final, {.help = "lowest share of the learning rate", .at_least = 0, .below = 1});
  }
};
Choice ReduceOnPlateau(const ReduceOnPlateauOptions& options = {});

}  // namespace protium
