// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace protium {

// Wilcoxon's signed-rank test (1945): the chance that differences which are as likely above 0 as
// below have ranks above 0 that sum to at least as much as those of `differences`. Equal sizes have
// their middle rank, and the rank of a 0 counts half. Exact for up to 50 differences, by the normal
// distribution with the variance of the ranks for more. 1 for none; NaN counts as the greatest.
double ChanceOfGreater(std::span<const double> differences);

}  // namespace protium
