// SPDX-License-Identifier: Apache-2.0
// The options of an estimator, put to the catalogue.
#pragma once

#include <string>

#include "learn/catalogue.h"
#include "learn/stages/stage_options.h"

namespace protium {

// Gives `options` with every default filled in. Unknown names, unknown keys, values out of range
// and what does not go together are faults whose `where` starts with `path`.
Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const Catalogue& catalogue);

// The options of a stage of kind kTorchEstimator.
Result<TorchEstimatorOptions> ReadEstimator(const StageOptions& stage, const std::string& path);

}  // namespace protium
