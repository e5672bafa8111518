// SPDX-License-Identifier: Apache-2.0
// For any processor. Without an instruction for it, the fused multiply-add is the C library's:
// exact but slow.
#include "nets/product_kernel.h"

namespace {

struct Plain {
  using Vector = float;
  static constexpr int kWidth = 1;
  static constexpr int kPanelsOfSix = 1;
  static Vector Load(const float* from) { return *from; }
  static Vector Broadcast(const float* from) { return *from; }
  static void Store(float* to, Vector value) { *to = value; }
  static Vector MultiplyAdd(Vector a, Vector b, Vector c) { return __builtin_fmaf(a, b, c); }
};

}  // namespace

namespace protium {

void ProductPlain(const ProductCall& call) { AddAll<Plain>(call); }

}  // namespace protium
