// SPDX-License-Identifier: Apache-2.0
// Gradients and hessians as whole numbers, whose sums are the same in any order.
//
// 1. A value x becomes x * scale, rounded down or up: up with the probability of what it is above
//    the lower one, so that sums are right on average. What decides is a hash of (seed, tree, key
//    of the row): the same for any number of ranks and any order of rows.
// 2. Both scales are powers of two, so that the largest value becomes a number of 15 bits. Dividing
//    a sum by its scale is exact.
// 3. One value far beyond all others would leave the others no bits: values beyond 2^12 times the
//    99th percentile (of sizes above 0, as powers of two) are clipped, and counted.
// 4. A pair is one word: the gradient in the upper 32 bits (two's complement), the hessian in the
//    lower ones. Up to kPairsPerSum pairs may be added as words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

inline constexpr int kGridBits = 15;
inline constexpr int64_t kPairsPerSum = int64_t{1} << 16;

// Of one row and one output; the hessian is 0 or more.
struct GradientPair {
  float gradient = 0;
  float hessian = 0;
};

// What one sum over rows is worth.
struct Cell {
  int64_t gradient = 0;
  int64_t hessian = 0;
  Cell& operator+=(const Cell& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    return *this;
  }
};

struct Grid {
  double gradient = 1;  // The scales.
  double hessian = 1;
  float most_gradient = 0;  // Sizes are clipped to these.
  float most_hessian = 0;
  int64_t clipped = 0;  // Gradients beyond, over all ranks.

  double GradientOf(int64_t sum) const { return double(sum) * (1 / gradient); }
  double HessianOf(int64_t sum) const { return double(sum) * (1 / hessian); }
};

// Collective. Fails with Exit::kFailed for a value that is not finite.
Result<Grid> MakeGrid(std::span<const GradientPair> pairs, Communicator& communicator);

// Writes a word per row; `keys` are the rows' (RowKey::high), `draw` that of the tree
// (DrawOfTree()).
void RoundToGrid(std::span<const GradientPair> pairs, std::span<const uint64_t> keys, uint64_t draw,
                 const Grid& grid, std::span<uint64_t> words);

// The hash of seed and tree; `tree` counts over all rounds and outputs.
uint64_t DrawOfTree(int64_t seed, int64_t tree);
// A hash of a row's key for one purpose.
uint64_t DrawOfRow(uint64_t draw, uint64_t key);

}  // namespace protium
