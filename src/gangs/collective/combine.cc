// SPDX-License-Identifier: Apache-2.0
#include "collective/combine.h"

#include <type_traits>

#include "base/half.h"

namespace protium {
namespace {

template <Reduce kOp, class T>
T CombineOne(T a, T b) {
  if constexpr (kOp == Reduce::kSum) return a + b;
  // Unsigned, so that it may wrap; below 32 bits a product would be one of int.
  if constexpr (kOp == Reduce::kProduct && std::is_integral_v<T>) {
    return T(std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>(a) * b);
  }
  if constexpr (kOp == Reduce::kProduct) return a * b;
  if constexpr (kOp == Reduce::kMin) return b < a ? b : a;
  return b > a ? b : a;
}

template <Reduce kOp>
Half CombineOne(Half a, Half b) {
  return NarrowToHalf(CombineOne<kOp>(Widen(a), Widen(b)));
}

template <Reduce kOp>
Brain CombineOne(Brain a, Brain b) {
  return NarrowToBrain(CombineOne<kOp>(Widen(a), Widen(b)));
}

// The operation is known when this is compiled: each of them becomes a vectorised loop.
template <Reduce kOp, class T>
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
void CombineAs(Reduce op, const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
  switch (op) {
    case Reduce::kSum:
      return CombineAll<Reduce::kSum, T>(a, b, out, count);
    case Reduce::kMin:
      return CombineAll<Reduce::kMin, T>(a, b, out, count);
    case Reduce::kMax:
      return CombineAll<Reduce::kMax, T>(a, b, out, count);
    case Reduce::kProduct:
      return CombineAll<Reduce::kProduct, T>(a, b, out, count);
  }
}

}  // namespace

void Combine(Type type, Reduce op, const std::byte* a, const std::byte* b, std::byte* out,
             int64_t count) {
  switch (type) {
    case Type::kFloat32:
      return CombineAs<float>(op, a, b, out, count);
    case Type::kFloat64:
      return CombineAs<double>(op, a, b, out, count);
    case Type::kInt64:
      // Unsigned sums have the same bits, and may wrap.
      if (op == Reduce::kSum) return CombineAs<uint64_t>(op, a, b, out, count);
      return CombineAs<int64_t>(op, a, b, out, count);
    case Type::kUint64:
      return CombineAs<uint64_t>(op, a, b, out, count);
    case Type::kInt32:
      if (op == Reduce::kSum) return CombineAs<uint32_t>(op, a, b, out, count);
      return CombineAs<int32_t>(op, a, b, out, count);
    case Type::kUint8:
      return CombineAs<uint8_t>(op, a, b, out, count);
    case Type::kFloat16:
      return CombineAs<Half>(op, a, b, out, count);
    case Type::kBfloat16:
      return CombineAs<Brain>(op, a, b, out, count);
  }
}

}  // namespace protium
