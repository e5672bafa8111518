// SPDX-License-Identifier: Apache-2.0
// The types that the weights of a trained net can be rounded to. The values that are left of them
// are computed in float32, except those of layers in int8, which are multiplied as whole numbers
// (int8_panels.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/weights.h"

namespace protium {

enum class WeightPrecision {
  kFloat32,  // As they were trained.
  kInt8,     // Of nets made of layers, dense layers with their inputs; of others, what IsRounded().
  kBfloat16,  // What IsRounded().
};

// As --precision names it.
inline const char* NameOf(WeightPrecision precision) {
  return precision == WeightPrecision::kInt8       ? "int8"
         : precision == WeightPrecision::kBfloat16 ? "bf16"
                                                   : "float32";
}

// Whether a parameter of this shape is rounded: those of dense layers, convolutions and tables, not
// what is added or normalises, of which there is little.
inline bool IsRounded(const std::vector<int64_t>& shape) { return shape.size() > 1; }

// Numbers in 8 bits: those of each slice of the first dimension, an output of a layer or a row of a
// table, on a scale of its own.
struct Int8Slices {
  std::vector<int8_t> values;  // From -127 to 127.
  std::vector<float> scales;   // By slice: what 1 stands for; NaN if a number of it is not finite.
};
// `numbers` are `slices` equal parts, one after the other.
Int8Slices SlicesOf(std::span<const float> numbers, int64_t slices);

// Rounds the numbers of a parameter where they are; leaves those alone that are not IsRounded().
void RoundNumbers(std::span<float> numbers, const std::vector<int64_t>& shape,
                  WeightPrecision precision);

// The same for all parameters of a net, which then computes with them.
Status RoundWeights(Weights& weights, WeightPrecision precision);

}  // namespace protium
