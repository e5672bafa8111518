// SPDX-License-Identifier: Apache-2.0
// The largest value of each window of an image, but at least 0: max pooling and ReLU, which
// commute, in one pass. Images are stored as [rows, height, width, channels], so the channels of a
// pixel are contiguous in memory. Each output is one of the inputs or 0, so nothing is rounded.
#pragma once

#include <cstdint>

namespace protium {

struct PoolShape {
  int64_t rows = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  int64_t size = 1;  // Of a window. Windows do not overlap; incomplete ones are dropped.
  int64_t out_height() const { return height / size; }
  int64_t out_width() const { return width / size; }
};

// Fills out[rows, out_height, out_width, channels] and, for each output, its position in the
// window: size * y + x, or -1 if no value was above 0. NaN in a window makes the output NaN.
void PoolWindows(const float* in, const PoolShape& shape, float* out, int32_t* chosen);

// Overwrites the derivative by `in`: the derivative of each output goes to the input that it came
// from.
void SpreadToWindows(const float* gradient, const int32_t* chosen, const PoolShape& shape,
                     float* in);

}  // namespace protium
