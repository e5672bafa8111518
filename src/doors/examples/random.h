// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine. Uses only integer arithmetic and correctly
// rounded IEEE 754 operations (+ - * / sqrt, floor): functions such as log and sin, and the
// distributions of std::, differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/splitmix.h"

namespace protium {

// A generator. A value type, so a copy draws the same numbers again. Not for secrets.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * kSplitMixStep + 0x632BE59BD9B4E019u) {}

  // SplitMix64 (Steele, Lea and Flood, 2014).
  uint64_t Next() { return SplitMix(state_ += kSplitMixStep); }

  // In [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // Uniform in [low, high).
  double Between(double low, double high) { return low + (high - low) * Uniform(); }

  // One of 0 .. n-1. The bias is negligible for n far below 2^32.
  size_t Below(size_t n) { return static_cast<size_t>(Uniform() * static_cast<double>(n)); }

  bool Chance(double probability) { return Uniform() < probability; }

  // Approximately normal with mean 0 and deviation 1, at most 6 from the mean: a uniform number has
  // variance 1/12, so the sum of twelve has variance 1.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace protium
