// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "nets/product_kernel.h"

namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kPanelsOfSix = 4;  // 24 sums in 32 registers.
  static Vector Load(const float* from) { return _mm512_loadu_ps(from); }
  static Vector Broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static void Store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector MultiplyAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
};

}  // namespace

namespace protium {

void ProductAvx512(const ProductCall& call) { AddAll<Avx512>(call); }

}  // namespace protium
