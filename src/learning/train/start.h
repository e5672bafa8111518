// SPDX-License-Identifier: Apache-2.0
// Starts from the weights of a model (train.from) instead of random ones. The file is the run's own
// copy (model/start_file.h).
#pragma once

#include "base/status.h"
#include "protium/training.h"
#include "tensor/weights.h"

namespace protium {

// Overwrites `weights` with those of the file from.weights: all parameters and buffers, or only the
// parameters whose names match from.parameters. Tensors of the file that the net does not have are
// ignored. A file whose hash is not from.sha256, and a tensor that is missing or of another type or
// shape, are faults of Exit::kInput; a pattern that matches none is a fault of Exit::kUsage. After
// a failure some of the weights may be overwritten.
Status StartFrom(const StartOptions& from, const std::vector<Variable>& parameters,
                 Weights& weights);

}  // namespace protium
