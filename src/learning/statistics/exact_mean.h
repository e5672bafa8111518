// SPDX-License-Identifier: Apache-2.0
// What states with exact sums answer: means and sums of centred products, rounded as late as can
// be.
#pragma once

#include "base/exact_sum.h"

namespace protium {

// The double nearest to sum / count, except for rare ties; count must not be 0.
double ExactMean(const ExactSum& sum, int64_t count);

// The sum of (x - mean x)(y - mean y), from the sums of x, y and xy over `count` rows, not 0.
// Rounded once; NaN if a mean is not finite.
double CentredSum(const ExactSum& xy, const ExactSum& x, const ExactSum& y, int64_t count);

}  // namespace protium
