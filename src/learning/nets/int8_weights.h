// SPDX-License-Identifier: Apache-2.0
// The weights of a dense layer, rounded to 8 bits. int8_panels.h multiplies rows by them here, and
// onnx_graph/int8_dense.h says the same as nodes of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace protium {

// What the largest weight of an output becomes, and the largest value of a row of inputs.
inline constexpr float kMostInt8 = 127;
// Of a row whose values lie closer together, what is left of its numbers is 0.
inline constexpr float kLeastInt8Width = 1e-30f;

// What a weight becomes where the largest is `most`, above 0.
int8_t Int8Level(float weight, float most);

struct Int8Weights {
  int64_t inputs = 0;
  int64_t outputs = 0;
  std::vector<int8_t> values;   // [inputs, outputs], from -127 to 127.
  std::vector<float> scales;    // By output: what 1 stands for; 0 where all weights are 0.
  std::vector<int32_t> totals;  // By output: the sum of its values.
};

// Each output has a scale of its own. `weights` [inputs, outputs].
Int8Weights RoundToInt8(std::span<const float> weights, int64_t inputs, int64_t outputs);

// Whether a layer of this size is large enough to gain by that, and its sums fit into 32 bits.
bool GainsByInt8(int64_t inputs, int64_t outputs);

}  // namespace protium
