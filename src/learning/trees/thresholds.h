// SPDX-License-Identifier: Apache-2.0
// Thresholds in the words of other programs. Here a float32 x goes left if x <= t. The
// functions keep the decision for every x: beside the threshold, zeros and denormal ones included.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace protium {

// XGBoost: x < t in float32. It takes no infinite x, which alone may change sides at infinite t.
inline float ToBelow(float at_most) {
  return std::nextafter(at_most, std::numeric_limits<float>::infinity());
}
inline float FromBelow(float below) {
  return std::nextafter(below, -std::numeric_limits<float>::infinity());
}

// LightGBM: x <= t in double. The largest double that becomes a float32 of at most `at_most`: half
// of the way to the next float32, which itself goes to the neighbour with the even last bit.
inline double ToDouble(float at_most) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  constexpr double kBeyond = 0x1p128;  // Where the float32 after the largest one would be.
  if (at_most == kInfinite) return kInfinite;
  const float next = std::nextafter(at_most, kInfinite);
  const double low = at_most == -kInfinite ? -kBeyond : at_most;
  const double high = next == kInfinite ? kBeyond : next;
  const double middle = low + (high - low) / 2;
  const bool even = (std::bit_cast<uint32_t>(at_most) & 1) == 0;
  return even ? middle : std::nextafter(middle, -std::numeric_limits<double>::infinity());
}
// The largest float32 that is at most `at_most`, which is not NaN.
inline float FromDouble(double at_most) {
  using Float = std::numeric_limits<float>;
  if (at_most > Float::max()) return std::isinf(at_most) ? Float::infinity() : Float::max();
  if (at_most < Float::lowest()) return -Float::infinity();
  const float nearest = float(at_most);
  return nearest > at_most ? FromBelow(nearest) : nearest;
}

}  // namespace protium
