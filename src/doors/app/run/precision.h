// SPDX-License-Identifier: Apache-2.0
// The flags that say in which precision a model predicts.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "nets/weight_precision.h"
#include "terminal/arguments.h"

namespace protium {

// --precision and --most-loss, of predict and serve.
std::vector<Flag> PrecisionFlags();

// How much worse a model's metric may be with weights of 8 bits, as a share (RoundedLoss::share());
// none: it predicts in float32. Fails with Exit::kUsage for another precision and for a loss that
// is no share.
Result<std::optional<double>> ReadPrecision(const Arguments& arguments);

// Weights that are rounded, and how much worse the metric may be with them.
struct Rounding {
  WeightPrecision precision = WeightPrecision::kInt8;
  double most_loss = 0;
};

// --precision and --most-loss of export, which also writes bfloat16.
std::vector<Flag> ExportPrecisionFlags();
Result<std::optional<Rounding>> ReadExportPrecision(const Arguments& arguments);

}  // namespace protium
