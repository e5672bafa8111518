// SPDX-License-Identifier: Apache-2.0
// The products of vectors in the middle of DLRM (Naumov et al., "Deep Learning Recommendation Model
// for Personalization and Recommendation Systems", arXiv:1906.00091, 2019). A row has a vector x,
// which a net made of its numbers, if there are any, and one of each category. They are numbered in
// this order; the output is x, then the products of vector 1 with 0, of 2 with 0 and 1, and so on,
// each pair once and none with itself: as the authors' program orders them.
//
// Each element is one chain of float operations, so the width of the processor's vectors never
// changes bits. One thread.
#pragma once

#include <cstdint>

#include "nets/layers.h"

namespace protium {

struct DotShape {
  int64_t embedded = 0;    // Vectors of categories.
  bool has_input = false;  // Whether there is an x before them.
  int64_t width = 0;       // Of each vector.
  int64_t vectors() const { return embedded + (has_input ? 1 : 0); }
  int64_t outputs() const { return (has_input ? width : 0) + vectors() * (vectors() - 1) / 2; }
};

// Of kDots.
inline DotShape DotsOf(const Layer& layer) {
  const DotShape without{.embedded = int64_t(layer.categories.size()), .width = layer.vector_width};
  return {without.embedded, layer.width != without.outputs(), without.width};
}

// Where the vectors of rows lie: those of a row's categories one after another.
struct DotInput {
  const float* x = nullptr;
  int64_t x_stride = 0;
  const float* embedded = nullptr;
  int64_t embedded_stride = 0;
};

// Fills `out` [rows, outputs()]. Order: each product begins at 0 and takes up one element of its
// vectors after another.
void MultiplyVectors(const DotShape& shape, const DotInput& in, int64_t rows, float* out);

// From `gradient` [rows, outputs()], with the same input: sets the derivatives by x [rows, width]
// and by the vectors of categories [rows, embedded * width]. Order: what x itself hands on, or 0,
// then the vectors in their order, each times its derivative.
void VectorSlopes(const DotShape& shape, const DotInput& in, const float* gradient, int64_t rows,
                  float* by_x, float* by_embedded);

}  // namespace protium
