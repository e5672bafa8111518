// SPDX-License-Identifier: Apache-2.0
// Results of states with exact sums: means and sums of centred products, rounded as late as
// possible.
#pragma once

#include "base/exact_sum.h"

namespace protium {

// Returns the double nearest to sum / count, except for rare ties; count must not be 0.
double ExactMean(const ExactSum& sum, int64_t count);

// Returns the sum of (x - mean x)(y - mean y), from the sums of x, y and xy over `count` rows, not
// 0. Rounded once; NaN if a mean is not finite.
double CentredSum(const ExactSum& xy, const ExactSum& x, const ExactSum& y, int64_t count);

}  // namespace protium
