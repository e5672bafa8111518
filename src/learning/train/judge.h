// SPDX-License-Identifier: Apache-2.0
// What is learned about weights once training has chosen them.
#pragma once

#include <filesystem>

#include "train/trainer.h"
#include "train/validation.h"

namespace protium {

// Collective. Loads the weights from the file, which rank 0 alone has, into the nets of all ranks,
// fits calibration and threshold to the validation rows, and measures and describes what the
// weights predict for these. All of it follows from checkpoints, so that none needs to hold it.
// Fills `decision`, `validation`, `diagnostics` and `importance` of `out`.
Status JudgeWeights(const std::filesystem::path& weights, const TrainSpec& spec,
                    const TrainInput& input, Validation& validation, TrainOutcome& out);

}  // namespace protium
