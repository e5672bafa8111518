// SPDX-License-Identifier: Apache-2.0
// Where training and scoring need LibTorch: for nets and losses that are not of the rooms nets and
// train, and on devices.
#pragma once

#include "pipeline/chain.h"

namespace protium {

// Whether the chain's estimator is computed by LibTorch; with `gpus` it is computed on devices.
bool NeedsLibTorch(const Chain& chain, bool gpus);

}  // namespace protium
