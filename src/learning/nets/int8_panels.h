// SPDX-License-Identifier: Apache-2.0
// Products of rows with weights that are rounded to 8 bits.
//
// 1. A column of weights is scaled so that its largest one is 127, and a row of inputs so that its
//    range, which includes 0, is 0 to 127: what is multiplied and added up are whole numbers.
// 2. The scale of a row depends on this row alone. So its bits depend neither on the rows beside it
//    nor on the processor.
// 3. A row with NaN or an infinity has NaN in every column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nets/int8_loops.h"

namespace protium {

// Memory of one call; reuse it for the next. One thread.
struct Int8Scratch {
  std::vector<uint8_t> rows;
  std::vector<int32_t> sums;
};

// Immutable.
class Int8Panels {
 public:
  // As many as sums of 32 bits hold.
  static constexpr int64_t kMostInputs = 65536;

  // `weights` [inputs, outputs], of which there are at most kMostInputs.
  Int8Panels(std::span<const float> weights, int64_t inputs, int64_t outputs);

  // sums[r][j] += in[r] x weights; `in` is [rows, inputs], a row of `sums` has whole panels.
  void Add(const float* in, int64_t in_stride, int64_t rows, float* sums,
           Int8Scratch& scratch) const;

 private:
  int64_t inputs_;
  int64_t groups_;
  int64_t panels_count_;
  std::vector<int8_t> panels_;
  std::vector<float> scales_;    // By column: what 1 stands for.
  std::vector<int32_t> totals_;  // By column: the sum of its weights.
};

using Int8Loop = void (*)(const Int8Call&);

// The loops that this processor can run, the fastest first; the last is Int8Plain().
std::vector<Int8Loop> Int8LoopsOfProcessor();

}  // namespace protium
