// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: only integer arithmetic and IEEE operations
// that are correctly rounded, none of the functions (log, sin, ...) or std:: distributions in which
// one library differs from the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/splitmix.h"

namespace protium {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * kSplitMixStep + 0x632BE59BD9B4E019u) {}

  // SplitMix64, of which this is the whole generator.
  uint64_t Next() { return SplitMix(state_ += kSplitMixStep); }

  // In [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  double Between(double low, double high) { return low + (high - low) * Uniform(); }

  // One of 0 .. n-1. The bias is negligible for n far below 2^32.
  size_t Below(size_t n) { return static_cast<size_t>(Uniform() * static_cast<double>(n)); }

  bool Chance(double probability) { return Uniform() < probability; }

  // Approximately normal, mean 0 and deviation 1: the sum of twelve uniform numbers has variance 1.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace protium
