// SPDX-License-Identifier: Apache-2.0
// Checks the options that change in mid-training (TrainOptions::changes).
#pragma once

#include <string>

#include "catalogue/catalogue.h"
#include "protium/training.h"

namespace protium {

// Refuses (Exit::kUsage, below `path`) changes that are not in the order of their epochs, that name
// anything but numbers of the optimizer, or give it a value out of range or other state. The
// optimizer of `train` is complete.
Status CheckChanges(const TrainOptions& train, const std::string& path, const Catalogue& catalogue);

}  // namespace protium
