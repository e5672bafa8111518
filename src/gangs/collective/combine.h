// SPDX-License-Identifier: Apache-2.0
// The inner loops of reductions. CMake compiles this file for speed in every build: in a debug
// build a gang would spend most of its steps here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collective/communicator.h"

namespace protium {

// out[i] = a[i] op b[i] for `count` elements of `type`; out may be a or b, other overlaps are not
// allowed. Integers wrap. Of two floats the smaller (larger) is the first unless the second
// compares less (greater), so a NaN stays when it comes first. Buffers must be aligned for their
// type.
void Combine(Element type, Op op, const std::byte* a, const std::byte* b, std::byte* out,
             int64_t count);

inline void Add(const float* a, const float* b, float* out, int64_t count) {
  Combine(Element::kFloat32, Op::kSum, reinterpret_cast<const std::byte*>(a),
          reinterpret_cast<const std::byte*>(b), reinterpret_cast<std::byte*>(out), count);
}

// Rounds to what a bfloat16 holds; -0.0 becomes 0.0, so that adding 0.0 to any sum changes no bit.
void RoundToBfloat16(float* values, int64_t count);
// Of values that were rounded: exact both ways.
void NarrowAll(const float* from, int64_t count, Bfloat16* to);
void WidenAll(const Bfloat16* from, int64_t count, float* to);

}  // namespace protium
