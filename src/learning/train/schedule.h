// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step. It is a pure function of the options, the step and the total
// number of steps, and uses no function of the C library, whose last bit differs between libraries.
// So every rank and every resumed run computes the same rate. reduce_on_plateau also depends on
// results: see plateau.h.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "protium/training.h"

namespace protium {

// Returns the factor of the learning rate in a step, counted from 0 over all epochs.
using Schedule = std::function<double(int64_t step)>;

// Makes the schedule of these options over `steps` steps in all, after the warm-up. An unknown name
// is a fault of Exit::kUsage that names the nearest one; so are options out of range.
Result<Schedule> MakeSchedule(const TrainOptions& train, int64_t steps);

// cos(pi * t), for t from 0 to 1.
double CosineOfHalfTurns(double t);

}  // namespace protium
