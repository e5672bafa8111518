// SPDX-License-Identifier: Apache-2.0
// Converts the two 16-bit floats from and to float32: float16 (IEEE 754 binary16), and bfloat16,
// which is a float32 without its lower half. Written in software, so that the bits are the same on
// every processor.
#pragma once

#include <bit>
#include <cstdint>

#include "protium/elements.h"

namespace protium {

inline float Widen(Float16 half) {
  const uint32_t sign = uint32_t(half.bits & 0x8000u) << 16;
  const uint32_t exponent = half.bits >> 10 & 0x1Fu, fraction = half.bits & 0x3FFu;
  if (exponent == 0) {  // Subnormal: fraction times 2^-24.
    return std::bit_cast<float>(std::bit_cast<uint32_t>(float(fraction) * 0x1p-24f) | sign);
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline float Widen(Bfloat16 bfloat16) {
  return std::bit_cast<float>(uint32_t(bfloat16.bits) << 16);
}

// Rounds to the nearest, ties to even; values that are too large become infinite.
inline Float16 NarrowToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), rest = bits & 0x7FFFFFFFu;
  const auto sign = uint16_t(bits >> 16 & 0x8000u);
  if (rest > 0x7F800000u) return {uint16_t(sign | 0x7E00u | (rest >> 13 & 0x3FFu))};  // NaN.
  if (rest >= 0x477FF000u) return {uint16_t(sign | 0x7C00u)};
  if (rest < 0x38800000u) {  // Below 2^-14: beside 0.5 the last bit of a float32 is 2^-24.
    const float moved = std::bit_cast<float>(rest) + 0.5f;
    return {uint16_t(sign | (std::bit_cast<uint32_t>(moved) - 0x3F000000u))};
  }
  const uint32_t rounded = rest + 0xFFFu + (rest >> 13 & 1u);
  return {uint16_t(sign | (rounded - 0x38000000u) >> 13)};
}

inline Bfloat16 NarrowToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {uint16_t(bits >> 16 | 0x40u)};
  return {uint16_t((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
}

}  // namespace protium
