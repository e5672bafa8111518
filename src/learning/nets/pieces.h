// SPDX-License-Identifier: Apache-2.0
// The piecewise linear encoding of numbers (Gorishniy, Rubachev and Babenko, "On Embeddings for
// Numerical Features in Tabular Deep Learning", 2022) with fixed bounds: a dense layer over the
// pieces of a number learns any function of it that is linear between the bounds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace protium {

// The pieces cover -kPiecesReach to kPiecesReach in intervals of equal width.
inline constexpr float kPiecesReach = 2;

// With these a number x is at x * factor + shift, counted in intervals from the first bound.
struct PieceScale {
  explicit PieceScale(int64_t pieces)
      : factor(float(pieces) / (2 * kPiecesReach)), shift(float(pieces) / 2) {}
  float factor, shift;
};

// Fills `out` [pieces]: how much of interval j lies below x, from 0 to 1, without a lower limit in
// the first and an upper one in the last. Their sum is where x is. NaN stays NaN.
inline void Pieces(float x, int64_t pieces, float* out) {
  const PieceScale scale(pieces);
  const float at = x * scale.factor + scale.shift;
  for (int64_t j = 0; j < pieces; ++j) {
    const float above = at - float(j);
    const float limited = above < 0 ? 0 : above;
    out[j] = limited > 1 ? 1 : limited;
  }
  if (at < 0) out[0] = at;
  if (at > float(pieces)) out[pieces - 1] = at - float(pieces - 1);
}

}  // namespace protium
