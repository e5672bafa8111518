// SPDX-License-Identifier: Apache-2.0
// The learning rate from step to step. Its value at a step follows from the options, the step and
// the number of steps in all, computed without the C library's functions, so that it is the same
// everywhere and after any interruption. What reduce_on_plateau adds is in plateau.h.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "recipe/training.h"

namespace protium {

// What the learning rate is multiplied by in a step, from 0, of so many in all.
using Schedule = std::function<double(int64_t step)>;

// The schedule of these options with their warm-up; an unknown one is refused with the nearest.
Result<Schedule> MakeSchedule(const TrainOptions& train, int64_t steps);

// Whether another number of steps in all changes the rate of a step.
bool DependsOnSteps(const TrainOptions& train);

// The cosine of `t` half turns, for t from 0 to 1.
double CosineOfHalfTurns(double t);

}  // namespace protium
