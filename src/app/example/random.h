// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: whole-number arithmetic and square roots only,
// none of the functions in which one mathematics library differs from the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/splitmix.h"

namespace protium {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * kSplitMixStep + 0x632BE59BD9B4E019u) {}

  uint64_t Next() { return SplitMix(state_ += kSplitMixStep); }

  // In [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  double Between(double low, double high) { return low + (high - low) * Uniform(); }

  // One of 0 .. n-1, for an n far below 2^32.
  size_t Below(size_t n) { return static_cast<size_t>(Uniform() * static_cast<double>(n)); }

  bool Chance(double probability) { return Uniform() < probability; }

  // Mean 0, deviation 1: twelve uniform numbers come close to a normal one.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace protium
