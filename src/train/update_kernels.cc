// SPDX-License-Identifier: Apache-2.0
#include "train/update_kernels.h"

#include <cmath>

#define PT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

namespace protium {

// `bad` collects x - x, which is 0 for finite x and NaN for all others.
PT_CLONES bool AdamUpdate(const AdamStep& step, const float* __restrict sum, int64_t count,
                          float* __restrict weights, float* __restrict first,
                          float* __restrict second) {
  const AdamStep s = step;
  int32_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    float g = sum[i] / s.divisor * s.factor;
    const float check = g - g;
    bad |= check != 0 ? 1 : 0;
    g += s.weight_decay * weights[i];
    const float m = s.beta1 * first[i] + s.rest1 * g;
    const float v = s.beta2 * second[i] + s.rest2 * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] -= s.rate * (m / (std::sqrt(v) / s.second_divisor + s.epsilon));
  }
  return bad == 0;
}

PT_CLONES bool SgdUpdate(const SgdStep& step, const float* __restrict sum, int64_t count,
                         float* __restrict weights, float* __restrict velocity) {
  const SgdStep s = step;
  int32_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    float g = sum[i] / s.divisor * s.factor;
    const float check = g - g;
    bad |= check != 0 ? 1 : 0;
    g += s.weight_decay * weights[i];
    velocity[i] = s.momentum * velocity[i] + g;
    weights[i] -= s.rate * velocity[i];
  }
  return bad == 0;
}

PT_CLONES double SumOfSquares(const float* values, int64_t count) {
  double lanes[16] = {};
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int64_t lane = 0; lane < 16; ++lane) {
      const double x = values[i + lane];
      lanes[lane] += x * x;
    }
  }
  for (; i < count; ++i) lanes[i % 16] += double(values[i]) * double(values[i]);
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
}

}  // namespace protium
