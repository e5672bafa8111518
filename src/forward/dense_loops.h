// SPDX-License-Identifier: Apache-2.0
// The loop of dense.h for each kind of processor; all give the same bits.
#pragma once

#include <stdint.h>

namespace protium {

inline constexpr int64_t kPanelWidth = 16;

// sums[r][j] += in[r][k] * weight[j][k], k ascending, each one fused multiply-add. `panels` holds
// the weights of 16 outputs after another, in each [inputs, 16]; `sums` is 16 * panel_count wide.
struct DenseCall {
  const float* panels;
  int64_t panel_count;
  int64_t inputs;
  const float* in;
  int64_t in_stride;
  int64_t rows;
  float* sums;
  int64_t sums_stride;
};

void DensePlain(const DenseCall& call);
void DenseAvx2(const DenseCall& call);    // Needs AVX2 and FMA.
void DenseAvx512(const DenseCall& call);  // Needs AVX-512F.

}  // namespace protium
