// SPDX-License-Identifier: Apache-2.0
// For any processor.
#include "nets/int8_kernel.h"

namespace {

struct Plain {
  static constexpr int kRows = 1;
  struct Sums {
    int32_t of[kInt8Panel];
  };
  static const int8_t* Load(const int8_t* from) { return from; }
  static void Add(const uint8_t* x, const int8_t* w, Sums& sums) {
    for (int64_t j = 0; j < kInt8Panel; ++j) {
      for (int64_t k = 0; k < kInt8Group; ++k) {
        sums.of[j] += int32_t(x[k]) * int32_t(w[j * kInt8Group + k]);
      }
    }
  }
  static void Store(const Sums& sums, int32_t* to) {
    for (int64_t j = 0; j < kInt8Panel; ++j) to[j] = sums.of[j];
  }
};

}  // namespace

namespace protium {

void Int8Plain(const Int8Call& call) { SumAll<Plain>(call); }

}  // namespace protium
