// SPDX-License-Identifier: Apache-2.0
// Options that change in mid-training (TrainOptions::changes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protium/training.h"

namespace protium {

// The optimizer of the epoch after `epochs` finished ones: train.optimizer, with what has changed
// until then.
Choice OptimizerAfter(const TrainOptions& train, int64_t epochs);

// The position among train.changes of the one whose `parameters` hold in that epoch; nullopt:
// train.parameters do.
std::optional<size_t> ParametersAfter(const TrainOptions& train, int64_t epochs);

// Whether MovesReadRowsOnly() holds in every epoch.
bool AlwaysMovesReadRowsOnly(const TrainOptions& train);

// Writes to `options`, which decide the weights, the changes that a training has felt when it has
// finished `epochs` epochs and, if `within`, some steps of the next; nothing if there are none.
void PutChangesFelt(const std::vector<ChangeOptions>& changes, int64_t epochs, bool within,
                    Json& options);

}  // namespace protium
