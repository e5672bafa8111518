// SPDX-License-Identifier: Apache-2.0
// Turns the outputs for many classes into probabilities, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace protium {

// Computes the probabilities of outputs, exp(o) / sum of all exp(o), and the logarithm of that sum.
// Subtracts the greatest output first, which cancels out, so that nothing overflows.
template <class Number>
double Softmax(std::span<const Number> outputs, std::span<double> probabilities) {
  const double top = *std::max_element(outputs.begin(), outputs.end());
  double sum = 0;
  for (size_t c = 0; c < outputs.size(); ++c) {
    sum += probabilities[c] = std::exp(double(outputs[c]) - top);
  }
  for (double& probability : probabilities) probability /= sum;
  return top + std::log(sum);
}

}  // namespace protium
