// SPDX-License-Identifier: Apache-2.0
// The largest value of each window of an image, and not less than 0: max pooling and ReLU in one
// pass, which commute. Images lie as [rows, height, width, channels], so that the channels of a
// pixel are one run of memory. Each output is a choice among inputs, so there is nothing to round.
#pragma once

#include <cstdint>

namespace protium {

struct PoolShape {
  int64_t rows = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  int64_t size = 1;  // Of a window. Windows do not overlap; what is left at the edges is dropped.
  int64_t out_height() const { return height / size; }
  int64_t out_width() const { return width / size; }
};

// out[rows, out_height, out_width, channels], and for each of them which place of its window it
// came from: size * y + x, or -1 where no value was above 0. NaN in a window makes the output NaN.
void PoolWindows(const float* in, const PoolShape& shape, float* out, int32_t* chosen);

// The derivative by `in`, overwritten: that of each output goes to where it came from.
void SpreadToWindows(const float* gradient, const int32_t* chosen, const PoolShape& shape,
                     float* in);

}  // namespace protium
