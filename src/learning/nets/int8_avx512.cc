// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "nets/int8_kernel.h"

namespace {

struct Avx512 {
  static constexpr int kRows = 12;
  using Sums = __m512i;
  static __m512i Load(const int8_t* from) { return _mm512_loadu_si512(from); }
  static void Add(const uint8_t* from, __m512i w, Sums& sums) {
    int32_t four;
    __builtin_memcpy(&four, from, sizeof(four));
    sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi32(four), w);
  }
  static void Store(Sums sums, int32_t* to) { _mm512_storeu_si512(to, sums); }
};

}  // namespace

namespace protium {

void Int8Avx512(const Int8Call& call) { SumAll<Avx512>(call); }

}  // namespace protium
