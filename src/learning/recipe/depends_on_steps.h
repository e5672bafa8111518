// SPDX-License-Identifier: Apache-2.0
// Whether a training can be made longer after the fact.
#pragma once

#include "protium/training.h"

namespace protium {

// Whether the rate of a step depends on the total number of steps. Then a run cannot be resumed
// with another number of epochs: the steps already made would have had other rates. A warm-up of
// train.warm_up.steps depends on it as well where it is longer than all steps.
bool DependsOnSteps(const TrainOptions& train);

}  // namespace protium
