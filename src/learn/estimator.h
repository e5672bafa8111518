// SPDX-License-Identifier: Apache-2.0
// The nets, losses and optimisers that come with the house, and what training may be asked for.
#pragma once

#include <string>
#include <vector>

#include "learn/options.h"

namespace protium {

std::vector<std::string> NetNames();
std::vector<std::string> LossNames();
std::vector<std::string> OptimizerNames();

// Gives `options` with every default filled in. Unknown names (nets may also be of `own_nets`,
// whose options pass as they are), unknown keys and values out of range are faults whose `where`
// starts with `path`.
Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const std::vector<std::string>& own_nets = {});

}  // namespace protium
