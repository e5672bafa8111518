// SPDX-License-Identifier: Apache-2.0
// An estimator's options, completed and checked against the catalogue. No table is needed for this,
// so a job file's mistakes here are found before any file is read.
#pragma once

#include <string>

#include "catalogue/catalogue.h"
#include "protium/stage_options.h"

namespace protium {

// Returns `options` with every default filled in, those that depend on the loss included. Unknown
// names and keys, values out of range and options that contradict each other are faults of
// Exit::kUsage whose `where` starts with `path`.
Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const Catalogue& catalogue);

// Whether a calibration or a threshold is fitted to the validation rows, which must then be there.
bool FitsDecision(const TorchEstimatorOptions& options);

// Reads the options of a stage of kind kTorchEstimator, without completing them.
Result<TorchEstimatorOptions> ReadEstimator(const StageOptions& stage, const std::string& path);

}  // namespace protium
