// SPDX-License-Identifier: Apache-2.0
// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
// whole-number arithmetic alone, so it is the same on every machine. The keys of row order, of
// randomness in nets and of held-out rows are made with it: its numbers are listed in docs/rows.md
// and may not change.
#pragma once

#include <cstdint>

namespace protium {

// 2^64 divided by the golden ratio, made odd: the increment of the generator's state.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

// The generator's finaliser: a bijection in which every bit of `x` affects every bit of the result.
constexpr uint64_t SplitMix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace protium
