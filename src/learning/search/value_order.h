// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

namespace protium {

// How the values of trials compare.
struct ValueOrder {
  bool higher_is_better = false;
  // If less is better, the size counts, as when epochs are compared: a bias of -9 is not good.
  bool by_size = true;

  // Less is better; infinite for NaN.
  double LossOf(double value) const {
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    if (higher_is_better) return -value;
    return by_size ? std::fabs(value) : value;
  }
};

}  // namespace protium
