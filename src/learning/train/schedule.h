// SPDX-License-Identifier: Apache-2.0
// The learning rate from step to step. It is a pure function of the options, the step and the total
// number of steps, and uses none of the C library's functions, whose last bit differs between
// libraries. So every rank and every resumed run computes the same rate. reduce_on_plateau depends
// on results as well: see plateau.h.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "protium/training.h"

namespace protium {

// The factor of the learning rate in a step, counted from 0 over all epochs.
using Schedule = std::function<double(int64_t step)>;

// The schedule of these options over `steps` steps in all, with the warm-up before it. A fault of
// Exit::kUsage for an unknown name, with the nearest one, and for options out of range.
Result<Schedule> MakeSchedule(const TrainOptions& train, int64_t steps);

// cos(pi * t), for t from 0 to 1.
double CosineOfHalfTurns(double t);

}  // namespace protium
