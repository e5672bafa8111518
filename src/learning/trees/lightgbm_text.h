// SPDX-License-Identifier: Apache-2.0
// LightGBM's model as text (Booster.save_model("model.txt"), versions 3 and 4). In it a double goes
// left if it is at most the threshold, and a category if it is in the set; missing and unknown
// categories always go right. Thresholds stay to the bit (thresholds.h).
#pragma once

#include <string_view>

#include "base/status.h"
#include "trees/carried_forest.h"

namespace protium {

// Fails with Exit::kUsage for what the format cannot hold.
Result<WrittenForest> ToLightgbmText(const CarriedForest& carried);

// Takes all boosters; the mean of a random forest becomes a sum. Fails with Exit::kInput for text
// that is no such model, and with Exit::kUsage, by name, for linear trees, zeros as missing values,
// and objectives whose predictions a forest cannot make.
Result<ReadForest> FromLightgbmText(std::string_view text);

}  // namespace protium
