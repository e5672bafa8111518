// SPDX-License-Identifier: Apache-2.0
// The element types of values that ranks combine, and the operations.
#pragma once

#include <cstdint>

namespace protium {

// kMean divides the sum by the number of ranks; for floats only.
enum class Op : uint8_t { kSum, kMin, kMax, kProduct, kMean };

// Whole numbers wrap. 16-bit floats are combined in float32, and each result is rounded to the
// nearest value, ties to even.
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
