// SPDX-License-Identifier: Apache-2.0
// What a job chooses by name, as training takes it. The names are those of learn/catalogue.h; one
// that is not known here is refused with the nearest.
#pragma once

#include "learn/objective.h"
#include "learn/options.h"
#include "train/loss.h"
#include "train/optimizer.h"

namespace protium {

Result<Loss> MakeLoss(const Choice& loss, const Objective& objective);
Result<OptimizerSpec> ParseOptimizer(const Choice& optimizer);

}  // namespace protium
