// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "nets/product_kernel.h"

namespace {

struct Neon {
  using Vector = float32x4_t;
  static constexpr int kWidth = 4;
  static constexpr int kPanelsOfSix = 1;  // 24 sums in 32 registers.
  static Vector Load(const float* from) { return vld1q_f32(from); }
  static Vector Broadcast(const float* from) { return vld1q_dup_f32(from); }
  static void Store(float* to, Vector value) { vst1q_f32(to, value); }
  static Vector MultiplyAdd(Vector a, Vector b, Vector c) { return vfmaq_f32(c, a, b); }
};

}  // namespace

namespace protium {

void ProductNeon(const ProductCall& call) { AddAll<Neon>(call); }

}  // namespace protium
