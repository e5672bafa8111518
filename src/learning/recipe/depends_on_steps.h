// SPDX-License-Identifier: Apache-2.0
// Whether a training can be extended later.
#pragma once

#include "protium/training.h"

namespace protium {

// Whether the rate of a step depends on the total number of steps. If so, a run cannot be resumed
// with another number of epochs: the steps already made would have had other rates. A warm-up of
// train.warm_up.steps also depends on it if it is longer than all steps.
bool DependsOnSteps(const TrainOptions& train);

}  // namespace protium
