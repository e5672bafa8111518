// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "nets/int8_kernel.h"

namespace {

struct Avx2 {
  static constexpr int kRows = 4;  // Eight sums; products take the other registers.
  struct Sums {
    __m256i low, high;  // Columns 0 to 7, and 8 to 15.
  };
  static __m256i LoadHalf(const int8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Sums Load(const int8_t* from) { return {LoadHalf(from), LoadHalf(from + 32)}; }
  static __m256i Multiply(__m256i x, __m256i w) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1));
  }
  static void Add(const uint8_t* from, const Sums& w, Sums& sums) {
    int32_t four;
    __builtin_memcpy(&four, from, sizeof(four));
    const __m256i x = _mm256_set1_epi32(four);
    sums.low = _mm256_add_epi32(sums.low, Multiply(x, w.low));
    sums.high = _mm256_add_epi32(sums.high, Multiply(x, w.high));
  }
  static void Store(const Sums& sums, int32_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), sums.high);
  }
};

}  // namespace

namespace protium {

void Int8Avx2(const Int8Call& call) { SumAll<Avx2>(call); }

}  // namespace protium
