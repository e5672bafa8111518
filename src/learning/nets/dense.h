// SPDX-License-Identifier: Apache-2.0
// Products of rows with the weights of a dense layer. Each output of a row is one chain of fused
// multiply-adds in the order of the inputs, so its bits depend neither on the rows beside it nor on
// the processor. Weights that are rounded to 8 bits have bits of their own (int8_panels.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nets/int8_panels.h"

namespace protium {

// The inputs begin .. end - 1 of a layer.
struct InputRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// The weights of a layer, copied in the order in which they are read. Immutable.
class Dense {
 public:
  // Takes the columns of `weight` [outputs, stride] in the ranges `inputs`, in that order.
  Dense(const float* weight, int64_t outputs, int64_t stride, std::span<const InputRange> inputs);
  // Takes all columns.
  Dense(const float* weight, int64_t outputs, int64_t inputs)
      : Dense(weight, outputs, inputs, std::vector<InputRange>{{0, inputs}}) {}

  // The same weights rounded to 8 bits, if the layer is large enough to gain by that; otherwise
  // these.
  Dense InInt8() &&;

  int64_t inputs() const { return inputs_; }
  // The number of outputs, rounded up to whole vectors: the width of `sums`.
  int64_t width() const { return width_; }
  // A copy of a vector of outputs, padded with zeros to the width of `sums`.
  std::vector<float> Padded(const float* outputs) const;

  // sums[r] += in[r] x weights; `in` is [rows, inputs], `sums` [rows, width].
  void Add(const float* in, int64_t in_stride, int64_t rows, float* sums,
           Int8Scratch& scratch) const;
  // The same, for weights that are not rounded.
  void Add(const float* in, int64_t in_stride, int64_t rows, float* sums) const;

 private:
  int64_t outputs_;
  int64_t inputs_ = 0;
  int64_t width_;
  std::vector<float> panels_;  // Empty if rounded.
  std::optional<Int8Panels> int8_;
};

}  // namespace protium
