// SPDX-License-Identifier: Apache-2.0
// The loop of int8_loops.h over tiles of rows and a panel whose sums stay in registers. As
// product_kernel.h, included by one file for each kind of processor, which defines its Lanes.
#pragma once

#include "nets/int8_loops.h"

namespace {

using protium::Int8Call;
using protium::kInt8Group;
using protium::kInt8Panel;

// Unrolled by name, for the reason that product_kernel.h gives.
template <class Lanes, int kRows>
inline void SumTile(const Int8Call& call, int64_t row, int64_t panel) {
  typename Lanes::Sums sums[kRows] = {};
  const uint8_t* left = call.left + row * call.left_row;
  const int8_t* right = call.right + panel * call.panel_step;
  for (int64_t g = 0; g < call.groups; ++g) {
    const auto w = Lanes::Load(right);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) Lanes::Add(left + r * call.left_row, w, sums[r]);
    left += kInt8Group;
    right += kInt8Group * kInt8Panel;
  }
  int32_t* out = call.sums + row * call.sums_row + panel * kInt8Panel;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) Lanes::Store(sums[r], out + r * call.sums_row);
}

template <class Lanes>
inline void SumAll(const Int8Call& call) {
  int64_t row = 0;
  for (; row + Lanes::kRows <= call.rows; row += Lanes::kRows) {
    for (int64_t p = 0; p < call.panels; ++p) SumTile<Lanes, Lanes::kRows>(call, row, p);
  }
  for (; row < call.rows; ++row) {
    for (int64_t p = 0; p < call.panels; ++p) SumTile<Lanes, 1>(call, row, p);
  }
}

}  // namespace
