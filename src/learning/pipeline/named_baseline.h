// SPDX-License-Identifier: Apache-2.0
// Baselines that options name instead of a column: forecasts of a series that anybody can make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/frame.h"
#include "protium/stage_options.h"

namespace protium {

// A forecast by the label's own earlier value: `season` rows before, or, where that is not known
// when predictions are made, so many seasons before as make it known.
struct NamedBaseline {
  int64_t season = 1;
};

// Reads "last value", "seasonal@7" and, with a season of 1 in its place, "seasonal"; none for any
// other text, which is a column. Fails with Exit::kUsage at `where` for "seasonal@" without a
// number above 0.
Result<std::optional<NamedBaseline>> ReadNamedBaseline(const std::string& text,
                                                       const std::string& where);

// Returns the stages with "seasonal" replaced by "seasonal@k", where k is the usual season of rows
// as far apart as those of `train` are: 24 of hours, 7 of days, 12 of months. For this it counts
// the times of the table. Fails with Exit::kUsage if they have no usual distance. Other stages
// are returned as they are.
Result<std::vector<StageOptions>> WithSeasonFound(std::vector<StageOptions> stages,
                                                  const DataFrame& train,
                                                  const Catalogue& catalogue);

}  // namespace protium
