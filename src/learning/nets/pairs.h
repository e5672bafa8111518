// SPDX-License-Identifier: Apache-2.0
// The second half of a factorization machine (Rendle, "Factorization Machines", ICDM 2010): what
// pairs of a row's columns say together. Every category and, multiplied by it, every number has a
// vector of factors; a pair adds the product of its two vectors. All pairs at once are
// (s * s - q) / 2, where s is the sum of the vectors and q that of their squares, factor by factor.
//
// Each element is one chain of float operations in the order of the columns, so the width of the
// processor's vectors never changes bits. One thread.
#pragma once

#include <cstdint>

#include "nets/layers.h"

namespace protium {

// Vectors of `width` = outputs x factors: of each output, its factors one after another.
struct PairShape {
  int64_t embedded = 0;  // Columns whose vectors are in the input.
  int64_t numbers = 0;   // Behind them: numbers, whose vectors are in `weight` [numbers, width].
  int64_t width = 0;
  int64_t outputs = 1;
  int64_t inputs() const { return embedded * width + numbers; }
};

// Of kPairs over this kEmbed.
inline PairShape PairsOver(const Layer& embed, const Layer& pairs) {
  return {.embedded = int64_t(embed.categories.size()),
          .numbers = embed.numbers,
          .width = pairs.vector_width,
          .outputs = pairs.width};
}

// From the input [rows, inputs()] makes the sums of vectors [rows, width], and the outputs [rows,
// outputs]. Order: s and q begin at 0 and take up one column after another; then the factors, whose
// sum is halved.
void SumPairs(const PairShape& shape, const float* in, const float* weight, int64_t rows,
              float* sums, float* out);

// From `gradient` [rows, outputs], with the same input and its sums: overwrites the derivatives by
// the vectors of column `column` [rows, width].
void VectorSlopes(const PairShape& shape, const float* in, const float* sums, const float* gradient,
                  int64_t rows, int64_t column, float* by_vector);

// Overwrites the derivatives by `weight`, added up over the rows in their order.
void WeightSlopes(const PairShape& shape, const float* in, const float* weight, const float* sums,
                  const float* gradient, int64_t rows, float* by_weight);

}  // namespace protium
