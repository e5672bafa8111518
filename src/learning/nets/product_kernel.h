// SPDX-License-Identifier: Apache-2.0
// The loop of product.h over tiles of rows and columns whose sums stay in registers. Included by
// one file for each kind of processor, which defines its Lanes. Everything is in an unnamed
// namespace, and no other header is included, so that no code for one processor is linked into
// another's.
#pragma once

#include "nets/product_loops.h"

namespace {

using protium::kPanelWidth;
using protium::ProductCall;

// The sums of kRows rows over kPanels panels. The loops over them are unrolled by name: left to
// itself, GCC unrolls them too late to see that `sums` needs no memory, and stores every sum in
// every step.
template <class Lanes, int kRows, int kPanels>
inline void AddTile(const ProductCall& call, int64_t row, int64_t panel) {
  constexpr int kParts = kPanels * kPanelWidth / Lanes::kWidth;
  constexpr int kPartsPerPanel = kPanelWidth / Lanes::kWidth;
  typename Lanes::Vector sums[kRows][kParts];
  const float* left = call.left + row * call.left_row;
  const float* right = call.right + panel * call.panel_step;
  float* out = call.sums + row * call.sums_row + panel * kPanelWidth;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) {
      sums[r][p] = Lanes::Load(out + r * call.sums_row + p * Lanes::kWidth);
    }
  }
  for (int64_t k = 0; k < call.inner; ++k, left += call.left_step, right += call.right_step) {
    typename Lanes::Vector w[kParts];
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) {
      const int64_t of_panel = (p / kPartsPerPanel) * call.panel_step;
      w[p] = Lanes::Load(right + of_panel + (p % kPartsPerPanel) * Lanes::kWidth);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto x = Lanes::Broadcast(left + r * call.left_row);
#pragma GCC unroll 8
      for (int p = 0; p < kParts; ++p) sums[r][p] = Lanes::MultiplyAdd(x, w[p], sums[r][p]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) {
      Lanes::Store(out + r * call.sums_row + p * Lanes::kWidth, sums[r][p]);
    }
  }
}

// kRows rows over all panels.
template <class Lanes, int kRows, int kPanels>
inline void AddRows(const ProductCall& call, int64_t row) {
  int64_t panel = 0;
  for (; panel + kPanels <= call.panels; panel += kPanels) {
    AddTile<Lanes, kRows, kPanels>(call, row, panel);
  }
  for (; panel < call.panels; ++panel) AddTile<Lanes, kRows, 1>(call, row, panel);
}

// Six rows of a transposed matrix are spread over as many cache lines as the inner dimension is
// long, which often share a few sets of the cache, and every panel reads them again: a copy that
// all panels share costs less.
template <class Lanes>
inline void AddSixRows(const ProductCall& call, int64_t row) {
  constexpr int64_t kMost = 256;  // product.cc cuts the inner dimension into such blocks.
  if (call.left_row != 1 || call.panels < 2 || call.inner > kMost) {
    return AddRows<Lanes, 6, Lanes::kPanelsOfSix>(call, row);
  }
  float copy[6 * kMost];
  const float* from = call.left + row;
  for (int64_t k = 0; k < call.inner; ++k, from += call.left_step) {
#pragma GCC unroll 8
    for (int r = 0; r < 6; ++r) copy[6 * k + r] = from[r];
  }
  ProductCall near = call;
  near.left = copy;
  near.left_step = 6;
  near.sums += row * call.sums_row;
  AddRows<Lanes, 6, Lanes::kPanelsOfSix>(near, 0);
}

// Six rows at a time, as many as the registers hold sums for. Fewer rows take several panels at a
// time, since their sums would otherwise wait for each other.
template <class Lanes>
inline void AddAll(const ProductCall& call) {
  int64_t row = 0;
  for (; row + 6 <= call.rows; row += 6) AddSixRows<Lanes>(call, row);
  for (; row + 2 <= call.rows; row += 2) AddRows<Lanes, 2, 2 * Lanes::kPanelsOfSix>(call, row);
  for (; row < call.rows; ++row) AddRows<Lanes, 1, 4>(call, row);
}

}  // namespace
