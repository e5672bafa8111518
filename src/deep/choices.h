// SPDX-License-Identifier: Apache-2.0
// From the names in a job to what training runs: losses and optimisers. The names are those of
// learn/catalogue.h, which the driver has checked already; a worker checks again, because its
// library may be of another version. A name that is not known here is refused with the nearest.
#pragma once

#include "learn/objective.h"
#include "learn/options.h"
#include "train/loss.h"
#include "train/optimizer.h"

namespace protium {

Result<Loss> MakeLoss(const Choice& loss, const Objective& objective);
Result<OptimizerSpec> ParseOptimizer(const Choice& optimizer);

}  // namespace protium
