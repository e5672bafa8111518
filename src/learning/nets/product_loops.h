// SPDX-License-Identifier: Apache-2.0
// The loop of product.h for each kind of processor; all give the same bits.
#pragma once

#include <stdint.h>

namespace protium {

inline constexpr int64_t kPanelWidth = 16;

// sums[i][j] += left[i][k] * right[k][j], k ascending, each one fused multiply-add. Columns j are
// in panels of 16, which are adjacent in `sums`; in `right` a panel's 16 columns are adjacent, and
// each panel begins `panel_step` floats after the previous one.
struct ProductCall {
  const float* left;
  int64_t left_row;   // Floats from one row to the next,
  int64_t left_step;  // and from one k to the next.
  const float* right;
  int64_t right_step;
  int64_t panel_step;
  int64_t panels;
  int64_t inner;  // The number of values of k.
  int64_t rows;
  float* sums;
  int64_t sums_row;
};

void ProductPlain(const ProductCall& call);
#if defined(__x86_64__)
void ProductAvx2(const ProductCall& call);    // Needs AVX2 and FMA.
void ProductAvx512(const ProductCall& call);  // Needs AVX-512F.
#elif defined(__aarch64__)
void ProductNeon(const ProductCall& call);
#endif

}  // namespace protium
