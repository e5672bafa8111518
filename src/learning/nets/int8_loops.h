// SPDX-License-Identifier: Apache-2.0
// The loop of int8_panels.h for each kind of processor. Sums are of whole numbers, so all give the
// same.
#pragma once

#include <stdint.h>

namespace protium {

// Columns of a panel, and inputs that lie side by side in it.
inline constexpr int64_t kInt8Panel = 16;
inline constexpr int64_t kInt8Group = 4;

// sums[i][j] = the sum over k of left[i][k] * right[k][j]. In `right` each panel of 16 columns
// begins `panel_step` bytes after the previous one; in it lie, for each group of four k, the four
// values of one column after those of another. Values of `left` are 0 to 127: pairs of products
// then fit into 16 bits, which is what AVX2 adds up.
struct Int8Call {
  const uint8_t* left;
  int64_t left_row;  // Bytes from one row to the next.
  const int8_t* right;
  int64_t panel_step;
  int64_t panels;
  int64_t groups;
  int64_t rows;
  int32_t* sums;
  int64_t sums_row;
};

void Int8Plain(const Int8Call& call);
#if defined(__x86_64__)
void Int8Avx2(const Int8Call& call);
void Int8Avx512(const Int8Call& call);  // Needs AVX-512F and its VNNI.
#endif

}  // namespace protium
