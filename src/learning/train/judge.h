// SPDX-License-Identifier: Apache-2.0
// Evaluates weights after training has chosen them.
#pragma once

#include <filesystem>

#include "train/resume.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace protium {

// Predicts with the net and the weights as they are then; borrows them.
PredictRows PredictsWith(const TrainInput& input, int64_t outputs);

// Collective. Loads the weights from the file, which only rank 0 has, into the nets of all ranks,
// fits calibration and threshold to the validation rows, and measures and describes the predictions
// for these rows. All of it can be derived from a checkpoint, so no checkpoint stores it. Fills
// `decision`, `validation`, `diagnostics`, `rounded` and `importance` of `out`.
Status JudgeWeights(const std::filesystem::path& weights, const Learner& learner,
                    const TrainSpec& spec, const TrainInput& input, Validation& validation,
                    TrainOutcome& out);

}  // namespace protium
