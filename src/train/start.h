// SPDX-License-Identifier: Apache-2.0
// Starting from the weights of a model.
#pragma once

#include "base/status.h"
#include "recipe/training.h"
#include "tensor/weights.h"

namespace protium {

// Puts the weights that `from` names over those that were drawn: parameters and buffers, all of
// them or none; with from.parameters just the parameters whose names fit. A file with another hash,
// and tensors that are missing or of another shape, are faults of Exit::kInput.
Status StartFrom(const StartOptions& from, const std::vector<Variable>& parameters,
                 Weights& weights);

}  // namespace protium
