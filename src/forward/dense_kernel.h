// SPDX-License-Identifier: Apache-2.0
// The loop of dense.h over tiles of rows and outputs whose sums stay in registers. Included by one
// file for each kind of processor, which brings its Lanes; everything is in an unnamed namespace,
// and no other header is included, so that no code for one processor is linked into another's.
#pragma once

#include "forward/dense_loops.h"

namespace {

using protium::DenseCall;
using protium::kPanelWidth;

// The sums of kRows rows over kPanels panels. A panel holds kPanelWidth outputs, input by input.
template <class Lanes, int kRows, int kPanels>
inline void AddTile(const DenseCall& call, int64_t row, int64_t panel) {
  constexpr int kParts = kPanels * kPanelWidth / Lanes::kWidth;
  constexpr int kPartsPerPanel = kPanelWidth / Lanes::kWidth;
  typename Lanes::Vector sums[kRows][kParts];
  const float* in = call.in + row * call.in_stride;
  float* out = call.sums + row * call.sums_stride + panel * kPanelWidth;
  const float* weights = call.panels + panel * call.inputs * kPanelWidth;
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kParts; ++p) {
      sums[r][p] = Lanes::Load(out + r * call.sums_stride + p * Lanes::kWidth);
    }
  }
  for (int64_t k = 0; k < call.inputs; ++k) {
    typename Lanes::Vector w[kParts];
    for (int p = 0; p < kParts; ++p) {
      const int64_t of_panel = (p / kPartsPerPanel) * call.inputs * kPanelWidth;
      w[p] =
          Lanes::Load(weights + of_panel + k * kPanelWidth + (p % kPartsPerPanel) * Lanes::kWidth);
    }
    for (int r = 0; r < kRows; ++r) {
      const auto x = Lanes::Broadcast(in + r * call.in_stride + k);
      for (int p = 0; p < kParts; ++p) sums[r][p] = Lanes::MultiplyAdd(x, w[p], sums[r][p]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kParts; ++p) {
      Lanes::Store(out + r * call.sums_stride + p * Lanes::kWidth, sums[r][p]);
    }
  }
}

// So many rows over all panels.
template <class Lanes, int kRows, int kPanels>
inline void AddRows(const DenseCall& call, int64_t row) {
  int64_t panel = 0;
  for (; panel + kPanels <= call.panel_count; panel += kPanels) {
    AddTile<Lanes, kRows, kPanels>(call, row, panel);
  }
  for (; panel < call.panel_count; ++panel) AddTile<Lanes, kRows, 1>(call, row, panel);
}

// Six rows at a time, as many as there are registers for their sums; a row by itself takes several
// panels at a time, since its sums would otherwise wait for each other.
template <class Lanes>
inline void AddAll(const DenseCall& call) {
  int64_t row = 0;
  for (; row + 6 <= call.rows; row += 6) AddRows<Lanes, 6, Lanes::kPanelsOfSix>(call, row);
  for (; row < call.rows; ++row) AddRows<Lanes, 1, 4>(call, row);
}

}  // namespace
