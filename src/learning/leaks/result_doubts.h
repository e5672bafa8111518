// SPDX-License-Identifier: Apache-2.0
// What the results of a run say against themselves. Neither is a proof; both are worth a look
// before anyone believes the figures.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// A sentence for each, from "metrics" and "importance" of a run's results (run/record.h):
//
// - one feature, of three or more, has nine tenths of the importance of a model whose error is less
//   than a third of the baseline's: rmse, or log loss;
// - the test rows are predicted far better or worse than the validation rows: every error that was
//   measured on both differs by half or more, and by a tenth of the baseline's; every share (auc,
//   accuracy) by a tenth. From 200 rows on each side.
//
// `known`: features that are no surprise.
std::vector<std::string> ResultDoubts(const Json& results, const std::vector<std::string>& known);

}  // namespace protium
