// SPDX-License-Identifier: Apache-2.0
#include "deep/pool_kernels.h"

#include <algorithm>

#include "base/clones.h"

namespace protium {

PT_CLONES void PoolWindows(const float* in, const PoolShape& shape, float* out, int32_t* chosen) {
  const int64_t channels = shape.channels, size = shape.size;
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* const image = in + row * shape.height * shape.width * channels;
    for (int64_t y = 0; y < shape.out_height(); ++y) {
      for (int64_t x = 0; x < shape.out_width(); ++x, out += channels, chosen += channels) {
        std::fill_n(out, channels, 0.0f);
        std::fill_n(chosen, channels, -1);
        for (int64_t place = 0; place < size * size; ++place) {
          const int64_t from_y = y * size + place / size, from_x = x * size + place % size;
          const float* const pixel = image + (from_y * shape.width + from_x) * channels;
          for (int64_t c = 0; c < channels; ++c) {
            const float value = pixel[c], best = out[c];
            // The second half is true only for NaN; nothing compares greater than it afterwards.
            const bool take = (value > best) | (value != value);
            out[c] = take ? value : best;
            chosen[c] = take ? int32_t(place) : chosen[c];
          }
        }
      }
    }
  }
}

PT_CLONES void SpreadToWindows(const float* gradient, const int32_t* chosen, const PoolShape& shape,
                               float* in) {
  const int64_t channels = shape.channels, size = shape.size;
  const int64_t pixels = shape.height * shape.width;
  const bool whole = shape.height % size == 0 && shape.width % size == 0;
  if (!whole) std::fill_n(in, shape.rows * pixels * channels, 0.0f);
  for (int64_t row = 0; row < shape.rows; ++row) {
    float* const image = in + row * pixels * channels;
    for (int64_t y = 0; y < shape.out_height(); ++y) {
      for (int64_t x = 0; x < shape.out_width(); ++x, gradient += channels, chosen += channels) {
        for (int64_t place = 0; place < size * size; ++place) {
          const int64_t to_y = y * size + place / size, to_x = x * size + place % size;
          float* const pixel = image + (to_y * shape.width + to_x) * channels;
          for (int64_t c = 0; c < channels; ++c) {
            pixel[c] = chosen[c] == int32_t(place) ? gradient[c] : 0.0f;
          }
        }
      }
    }
  }
}

}  // namespace protium
