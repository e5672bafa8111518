// SPDX-License-Identifier: Apache-2.0
// What the values are that ranks combine, and how they are combined.
#pragma once

#include <cstdint>

namespace protium {

// kMean divides the sum by the number of ranks; of floats only.
enum class Op : uint8_t { kSum, kMin, kMax, kProduct, kMean };

// Whole numbers wrap. The floats of 16 bits are combined in float32, each result rounded to the
// nearest, ties to even.
enum class Element : uint8_t {
  kFloat32,
  kFloat64,
  kInt64,
  kUint64,
  kInt32,
  kUint8,
  kFloat16,
  kBfloat16,
};

struct Float16 {
  uint16_t bits = 0;
};
struct Bfloat16 {
  uint16_t bits = 0;
};

}  // namespace protium
