// SPDX-License-Identifier: Apache-2.0
#include "collective/combine.h"

#include <type_traits>

#include "base/half.h"
#include "base/status.h"

namespace protium {
namespace {

template <Op kOp, class T>
T CombineOne(T a, T b) {
  if constexpr (kOp == Op::kSum) return a + b;
  // Unsigned, so that it may wrap; below 32 bits the product would be a signed int.
  if constexpr (kOp == Op::kProduct && std::is_integral_v<T>) {
    return T(std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>(a) * b);
  }
  if constexpr (kOp == Op::kProduct) return a * b;
  if constexpr (kOp == Op::kMin) return b < a ? b : a;
  return b > a ? b : a;
}

template <Op kOp>
Float16 CombineOne(Float16 a, Float16 b) {
  return NarrowToFloat16(CombineOne<kOp>(Widen(a), Widen(b)));
}

template <Op kOp>
Bfloat16 CombineOne(Bfloat16 a, Bfloat16 b) {
  return NarrowToBfloat16(CombineOne<kOp>(Widen(a), Widen(b)));
}

// The operation is a compile-time constant: each becomes a vectorised loop.
template <Op kOp, class T>
void CombineAll(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
  const T* const x = reinterpret_cast<const T*>(a);
  const T* const y = reinterpret_cast<const T*>(b);
  T* const z = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      z[i] = CombineOne<kOp, T>(x[i], y[i]);
    } else {
      z[i] = CombineOne<kOp>(x[i], y[i]);
    }
  }
}

template <class T>
void CombineAs(Op op, const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
  switch (op) {
    case Op::kSum:
      return CombineAll<Op::kSum, T>(a, b, out, count);
    case Op::kMin:
      return CombineAll<Op::kMin, T>(a, b, out, count);
    case Op::kMax:
      return CombineAll<Op::kMax, T>(a, b, out, count);
    case Op::kProduct:
      return CombineAll<Op::kProduct, T>(a, b, out, count);
    case Op::kMean:
      PT_CHECK(false);  // The backends get a sum instead.
  }
}

}  // namespace

void RoundToBfloat16(float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = Widen(NarrowToBfloat16(values[i])) + 0.0f;
}

void NarrowAll(const float* from, int64_t count, Bfloat16* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = NarrowToBfloat16(from[i]);
}

void WidenAll(const Bfloat16* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = Widen(from[i]);
}

void Combine(Element type, Op op, const std::byte* a, const std::byte* b, std::byte* out,
             int64_t count) {
  switch (type) {
    case Element::kFloat32:
      return CombineAs<float>(op, a, b, out, count);
    case Element::kFloat64:
      return CombineAs<double>(op, a, b, out, count);
    case Element::kInt64:
      // Unsigned sums have the same bits, and may wrap.
      if (op == Op::kSum) return CombineAs<uint64_t>(op, a, b, out, count);
      return CombineAs<int64_t>(op, a, b, out, count);
    case Element::kUint64:
      return CombineAs<uint64_t>(op, a, b, out, count);
    case Element::kInt32:
      if (op == Op::kSum) return CombineAs<uint32_t>(op, a, b, out, count);
      return CombineAs<int32_t>(op, a, b, out, count);
    case Element::kUint8:
      return CombineAs<uint8_t>(op, a, b, out, count);
    case Element::kFloat16:
      return CombineAs<Float16>(op, a, b, out, count);
    case Element::kBfloat16:
      return CombineAs<Bfloat16>(op, a, b, out, count);
  }
}

}  // namespace protium
