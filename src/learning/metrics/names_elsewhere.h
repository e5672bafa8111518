// SPDX-License-Identifier: Apache-2.0
// What scikit-learn, LightGBM and XGBoost call the built-in metrics.
#pragma once

#include <string>

#include "base/status.h"

namespace protium {

// Fails at `where` for a name that others have for a built-in metric: the fix is ours.
Status RefuseNameElsewhere(const std::string& name, const std::string& where);

}  // namespace protium
