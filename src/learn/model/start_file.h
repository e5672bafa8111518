// SPDX-License-Identifier: Apache-2.0
// The weights that training starts from (train.from) on their way from another run's model into
// this run's folder, so that ranks and resumed runs read the same whatever becomes of that model.
// Both functions do nothing where nothing is given.
#pragma once

#include <filesystem>

#include "learn/pipeline/chain.h"

namespace protium {

// Finds the model below `base`, checks its files and puts its weights and their hash into the
// options; a run that is `resumed` takes those that it kept. Fails with Exit::kInput if it is no
// model with weights, or another one than a hash says that the options already have.
Status FindStart(const std::filesystem::path& base, const std::filesystem::path& run, bool resumed,
                 Chain& chain);

// Copies the weights into the run folder and points the options there.
Status KeepStart(const std::filesystem::path& run, Chain& chain);

}  // namespace protium
