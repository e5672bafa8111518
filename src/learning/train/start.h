// SPDX-License-Identifier: Apache-2.0
// The first weights of a training: random ones, or those of a model (train.from), whose file is the
// run's own copy (model/start_file.h).
#pragma once

#include "base/status.h"
#include "format/safetensors.h"
#include "protium/training.h"
#include "train/optimizer.h"
#include "train/trainer.h"

namespace protium {

// Reads from.weights; other tensors than those of from.sha256 are a fault of Exit::kInput.
Result<Safetensors> ReadStart(const StartOptions& from);

// Collective. Gives all ranks the weights that rank 0 begins with, since a net's own initialisation
// need not be exact, and other hosts may not see the file: drawn ones, over which it writes those
// of from.weights, all parameters and buffers, or only the parameters whose names match
// from.parameters; of a table of ids, the rows of ids that the file has, too. Tensors of the file
// that the net does not have are ignored. A file whose hash is not from.sha256, and a tensor that
// is missing or of another type or shape, are faults of Exit::kInput; a pattern that matches none
// is a fault of Exit::kUsage.
Status Initialise(const TrainOptions& train, const TrainInput& input, Optimizer& optimizer);

}  // namespace protium
