// SPDX-License-Identifier: Apache-2.0
// XGBoost's model as JSON (Booster.save_model("model.json"), version 1.6 and later; Treelite reads
// it, too). In it a float32 goes left if it is below the threshold; the categories of a set go
// right, all others left. Thresholds stay to the bit (thresholds.h).
#pragma once

#include <string_view>

#include "base/status.h"
#include "trees/carried_forest.h"

namespace protium {

// Fails with Exit::kUsage for what the format cannot hold.
Result<WrittenForest> ToXgboostJson(const CarriedForest& carried);

// Takes boosters gbtree and dart. Fails with Exit::kInput for text that is no such model, and with
// Exit::kUsage for a model whose predictions a forest cannot make. Columns without a name are
// called f0, f1, ... as XGBoost does.
Result<ReadForest> FromXgboostJson(std::string_view text);

}  // namespace protium
