// SPDX-License-Identifier: Apache-2.0
// Labels of rankings: how relevant a row is to its group, as a whole number from 0 to 31.
#pragma once

#include <cmath>

namespace protium {

inline constexpr double kMostRelevance = 31;

inline bool IsRelevance(double label) {
  return label >= 0 && label <= kMostRelevance && label == std::floor(label);
}

// What a row of this relevance, which must be one, is worth in the first place of its group.
inline double GainOf(double relevance) { return std::ldexp(1.0, int(relevance)) - 1; }

}  // namespace protium
