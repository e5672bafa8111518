// SPDX-License-Identifier: Apache-2.0
#include "nets/pairs.h"

#include <algorithm>
#include <vector>

#include "base/clones.h"

namespace protium {

PT_CLONES void SumPairs(const PairShape& shape, const float* in, const float* weight, int64_t rows,
                        float* sums, float* out) {
  const int64_t width = shape.width, factors = width / shape.outputs;
  std::vector<float> squares(size_t(width), 0);
  float* const q = squares.data();
  for (int64_t i = 0; i < rows; ++i, sums += width) {
    std::fill_n(sums, width, 0.0f);
    std::fill_n(q, width, 0.0f);
    for (int64_t c = 0; c < shape.embedded; ++c, in += width) {
      for (int64_t j = 0; j < width; ++j) {
        sums[j] += in[j];
        q[j] += in[j] * in[j];
      }
    }
    for (int64_t n = 0; n < shape.numbers; ++n, ++in) {
      for (int64_t j = 0; j < width; ++j) {
        const float v = *in * weight[n * width + j];
        sums[j] += v;
        q[j] += v * v;
      }
    }
    const float* s = sums;
    for (int64_t o = 0; o < shape.outputs; ++o) {
      float sum = 0;
      for (int64_t f = o * factors; f < (o + 1) * factors; ++f) sum += s[f] * s[f] - q[f];
      *out++ = sum / 2;
    }
  }
}

PT_CLONES void VectorSlopes(const PairShape& shape, const float* in, const float* sums,
                            const float* gradient, int64_t rows, int64_t column, float* by_vector) {
  const int64_t width = shape.width, factors = width / shape.outputs;
  in += column * width;
  for (int64_t i = 0; i < rows; ++i, in += shape.inputs()) {
    for (int64_t o = 0; o < shape.outputs; ++o) {
      const float by = *gradient++;
      for (int64_t f = o * factors; f < (o + 1) * factors; ++f)
        by_vector[f] = by * (sums[f] - in[f]);
    }
    sums += width;
    by_vector += width;
  }
}

PT_CLONES void WeightSlopes(const PairShape& shape, const float* in, const float* weight,
                            const float* sums, const float* gradient, int64_t rows,
                            float* by_weight) {
  const int64_t width = shape.width, factors = width / shape.outputs;
  std::fill_n(by_weight, shape.numbers * width, 0.0f);
  for (int64_t i = 0; i < rows; ++i, sums += width, gradient += shape.outputs) {
    const float* const numbers = in + i * shape.inputs() + shape.embedded * width;
    for (int64_t n = 0; n < shape.numbers; ++n) {
      const float x = numbers[n];
      for (int64_t o = 0; o < shape.outputs; ++o) {
        for (int64_t f = o * factors; f < (o + 1) * factors; ++f) {
          const int64_t at = n * width + f;
          by_weight[at] += gradient[o] * (sums[f] - x * weight[at]) * x;
        }
      }
    }
  }
}

}  // namespace protium
