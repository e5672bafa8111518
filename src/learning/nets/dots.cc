// SPDX-License-Identifier: Apache-2.0
#include "nets/dots.h"

#include <algorithm>
#include <vector>

#include "base/clones.h"

namespace protium {

// Vectors lie side by side by element, so that the products of one vector are computed together.
PT_CLONES void MultiplyVectors(const DotShape& shape, const DotInput& in, int64_t rows,
                               float* out) {
  const int64_t vectors = shape.vectors(), width = shape.width, first = shape.has_input ? 1 : 0;
  std::vector<float> memory(size_t(vectors * width));
  float* const by_element = memory.data();
  for (int64_t i = 0; i < rows; ++i) {
    const float* const x = in.x + i * in.x_stride;
    const float* const embedded = in.embedded + i * in.embedded_stride;
    for (int64_t v = 0; v < vectors; ++v) {
      const float* const from = v < first ? x : embedded + (v - first) * width;
      for (int64_t f = 0; f < width; ++f) by_element[f * vectors + v] = from[f];
    }
    if (shape.has_input) out = std::copy_n(x, width, out);
    for (int64_t v = 1; v < vectors; ++v, out += v - 1) {
      std::fill_n(out, v, 0.0f);
      for (int64_t f = 0; f < width; ++f) {
        const float* const elements = by_element + f * vectors;
        const float own = elements[v];
        for (int64_t other = 0; other < v; ++other) out[other] += own * elements[other];
      }
    }
  }
}

PT_CLONES void VectorSlopes(const DotShape& shape, const DotInput& in, const float* gradient,
                            int64_t rows, float* by_x, float* by_embedded) {
  const int64_t vectors = shape.vectors(), width = shape.width, first = shape.has_input ? 1 : 0;
  for (int64_t i = 0; i < rows; ++i, gradient += shape.outputs()) {
    const float* const x = in.x + i * in.x_stride;
    const float* const embedded = in.embedded + i * in.embedded_stride;
    const float* const products = gradient + first * width;
    for (int64_t v = 0; v < vectors; ++v) {
      float* const to =
          v < first ? by_x + i * width : by_embedded + (i * shape.embedded + v - first) * width;
      if (v < first) std::copy_n(gradient, width, to);
      if (v >= first) std::fill_n(to, width, 0.0f);
      for (int64_t other = 0; other < vectors; ++other) {
        if (other == v) continue;
        const int64_t high = std::max(v, other), low = std::min(v, other);
        const float by = products[high * (high - 1) / 2 + low];
        const float* const from = other < first ? x : embedded + (other - first) * width;
        for (int64_t f = 0; f < width; ++f) to[f] += by * from[f];
      }
    }
  }
}

}  // namespace protium
