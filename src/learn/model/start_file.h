// SPDX-License-Identifier: Apache-2.0
// The weights that training starts from (train.from) on their way from a model folder into this
// run's folder, so that ranks and resumed runs read the same ones whatever happens to that model.
// FindStart() comes when a pipeline is placed, KeepStart() before training. Both do nothing without
// train.from.
#pragma once

#include <filesystem>

#include "learn/pipeline/chain.h"

namespace protium {

// Finds the model, relative to `base`, checks the hashes of its files and puts absolute paths and
// the hash of its weights into the options. A `resumed` run takes the copy in the folder `run`
// instead, if there is one. Fails with Exit::kInput if there is no model with weights, or if the
// options already have a hash and it is another.
Status FindStart(const std::filesystem::path& base, const std::filesystem::path& run, bool resumed,
                 Chain& chain);

// Copies the weights into the run folder, as "start.safetensors", and points the options there. On
// a cluster every worker reads the run folder, but not necessarily the model's.
Status KeepStart(const std::filesystem::path& run, Chain& chain);

}  // namespace protium
