// SPDX-License-Identifier: Apache-2.0
// Probabilities of the standard normal distribution and exp(x), with the same bits on every
// machine: the C library's erfc and exp may differ from one to the next, and then so would trials.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace protium {

inline constexpr double kRootOf2Pi = 2.5066282746310005024;

// exp(x) for x <= 0, within 2^-51 of the value; below -700 as at -700, which is 0 beside 1. Without
// a branch, so that a loop of it is done many at a time.
inline double ExpOfNegative(double x) {
  // 1 / i!: below ln(2) / 2 the first term left out is 1e-17.
  constexpr auto kInverse = [] {
    std::array<double, 14> inverse = {1};
    for (size_t i = 1; i < inverse.size(); ++i) inverse[i] = inverse[i - 1] / double(i);
    return inverse;
  }();
  // ln 2 as a sum: the first ends in zeros, so that its product with a power is exact.
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kRounds =
      0x1.8p52;  // Adding it leaves the nearest whole number in the last bits.
  x = x > -700 ? x : -700;
  const double shifted = x * 0x1.71547652b82fep0 + kRounds;
  const double power = shifted - kRounds;
  const double rest = (x - power * kLn2High) - power * kLn2Low;
  double sum = kInverse[13];
  for (size_t i = 13; i-- > 0;) sum = kInverse[i] + sum * rest;
  const uint64_t exponent = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(exponent);
}

// P(a < z < b) of a standard normal z, for a <= 0 <= b, within 1e-15.
double NormalMassAround(double a, double b);

// ln P(a < z < b) of a standard normal z, for a < b. Precise in both tails, where P underflows.
double LogNormalMass(double a, double b);

}  // namespace protium
