// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "nets/product_kernel.h"

namespace {

struct Avx2 {
  using Vector = __m256;
  static constexpr int kWidth = 8;
  static constexpr int kPanelsOfSix = 1;  // Twelve sums in sixteen registers.
  static Vector Load(const float* from) { return _mm256_loadu_ps(from); }
  static Vector Broadcast(const float* from) { return _mm256_broadcast_ss(from); }
  static void Store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
  static Vector MultiplyAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
};

}  // namespace

namespace protium {

void ProductAvx2(const ProductCall& call) { AddAll<Avx2>(call); }

}  // namespace protium
