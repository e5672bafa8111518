// SPDX-License-Identifier: Apache-2.0
// The flags that say in which precision a model predicts.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "terminal/arguments.h"

namespace protium {

// --precision and --most-loss, of predict and serve.
std::vector<Flag> PrecisionFlags();

// How much worse a model's metric may be with weights of 8 bits, as a share (Int8Loss::share());
// none: it predicts in float32. Fails with Exit::kUsage for another precision and for a loss that
// is no share.
Result<std::optional<double>> ReadPrecision(const Arguments& arguments);

}  // namespace protium
