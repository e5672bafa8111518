// SPDX-License-Identifier: Apache-2.0
// Matrix products of float32. Each element of a result is one chain of fused multiply-adds in the
// order of the inner dimension, so its bits depend neither on the elements beside it, nor on the
// processor, nor on how a product is divided.
#pragma once

#include <cstdint>
#include <vector>

#include "nets/product_loops.h"

namespace protium {

// Borrowed elements; steps are in floats. The transpose is the same memory with the steps
// exchanged.
struct MatrixView {
  const float* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_step = 0;
  int64_t column_step = 1;

  // Contiguous rows.
  static MatrixView Of(const float* data, int64_t rows, int64_t columns) {
    return {data, rows, columns, columns, 1};
  }
  MatrixView Transposed() const { return {data, columns, rows, column_step, row_step}; }
  MatrixView Columns(int64_t begin, int64_t count) const {
    return {data + begin * column_step, rows, count, row_step, column_step};
  }
};

// Computes products and reuses the memory for them. Called by one thread; up to `threads` threads
// share the rows of a large product, which changes no bits.
class Product {
 public:
  explicit Product(int32_t threads = 1) : threads_(threads) {}

  // to[i][j] += the sum over k of left[i][k] * right[k][j]; a row of `to` begins `to_step` floats
  // after the previous one.
  void Add(const MatrixView& left, const MatrixView& right, float* to, int64_t to_step);
  // The same, but overwrites `to`, as if it were zeros.
  void Set(const MatrixView& left, const MatrixView& right, float* to, int64_t to_step);

 private:
  // Arranges `right` in panels; copies it unless it is already stored that way.
  void Arrange(const MatrixView& right, ProductCall& call);

  int32_t threads_;
  std::vector<float> panels_;
  std::vector<float> sums_;
};

// The number of columns, rounded up to whole panels.
inline int64_t RoundUpToPanels(int64_t columns) {
  return (columns + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}

using ProductLoop = void (*)(const ProductCall&);

// The loops that this processor can run, the fastest first; the last is ProductPlain().
std::vector<ProductLoop> LoopsOfProcessor();

// Runs a call with the fastest.
void RunProduct(const ProductCall& call);

}  // namespace protium
