// SPDX-License-Identifier: Apache-2.0
// exp(x) of our own: the C library's may differ in the last bit from one release or processor to
// the next, and the bits of models depend on it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace protium {

// Within 1e-10 of exp(x), relatively; x is taken between -700 and 700. x = k ln 2 + r with |r| at
// most ln 2 / 2, and exp(r) is its Taylor polynomial of degree 10. A fixed sequence of operations
// without branches, which compilers turn into vector instructions.
inline double ReproducibleExp(double x) {
  constexpr double kLog2E = 1.4426950408889634, kLn2High = 0x1.62e42feep-1,
                   kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kRound = 0x1.8p52;  // Adding it leaves a number rounded to a whole one.
  x = std::clamp(x, -700.0, 700.0);
  const double shifted = x * kLog2E + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const uint64_t exponent = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(exponent);
}

}  // namespace protium
