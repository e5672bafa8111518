// SPDX-License-Identifier: Apache-2.0
// The types that the weights of a trained net can be rounded to.
#pragma once

#include <cstdint>
#include <vector>

namespace protium {

enum class WeightPrecision {
  kFloat32,   // As they were trained.
  kInt8,      // Of dense layers, and rows with them (int8_panels.h).
  kBfloat16,  // Of what IsInBfloat16() says; computed in float32.
};

// As --precision names it.
inline const char* NameOf(WeightPrecision precision) {
  return precision == WeightPrecision::kInt8       ? "int8"
         : precision == WeightPrecision::kBfloat16 ? "bf16"
                                                   : "float32";
}

// Whether a parameter of this shape is rounded in bfloat16: those of dense layers, convolutions and
// tables, not what is added or normalises, of which there is little.
inline bool IsInBfloat16(const std::vector<int64_t>& shape) { return shape.size() > 1; }

}  // namespace protium
