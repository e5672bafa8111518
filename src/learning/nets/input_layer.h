// SPDX-License-Identifier: Apache-2.0
// The first dense layer over embedded categories and numeric values: x W' + b, where x is a row's
// embeddings, one after another, followed by its numeric values or their pieces.
//
// A column with few categories contributes only a few different pieces to x. The product of each
// piece with its slice of W is computed once per call, and each row adds the products of its
// categories; in the backward pass, the gradients of rows are first summed by category. This is the
// same sum in another order, with a fraction of the multiplications. Which columns are treated this
// way depends only on their cardinalities, never on the rows, so the order of additions is the same
// in every step and on every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "nets/mlp_kernels.h"
#include "nets/product.h"
#include "tensor/values.h"

namespace protium {

// A categorical column and the table of its embeddings.
struct TableColumn {
  int64_t category = 0;  // Index among the categories of a row.
  int64_t cardinality = 0;
  int64_t width = 0;
  bool factored = false;  // The whole table is multiplied: it has at most kMostFactored rows.
};

// Where the gradient of a table is written: to rows of its own, or to the whole of it.
struct TableGradient {
  float* whole = nullptr;
  SparseRows* rows = nullptr;  // Preferred; only for columns that are not factored.
};

// One thread, apart from the threads of `product`.
class InputLayer {
 public:
  // `out` is the number of neurons.
  InputLayer(const std::vector<TableColumn>& tables, const NumberInput& numbers, int64_t out);

  // The width of x.
  int64_t in() const { return in_; }

  // Sets the tables [cardinality, width] by column, the weight W [out, in] and the bias [out]; must
  // precede the calls below. Borrowed: the caller updates them in place.
  void Bind(std::vector<const float*> tables, const float* weight, const float* bias);

  // Overwrites `out` [rows, out].
  void Forward(const PackedRows& rows, Product& product, float* out);

  // Overwrites the gradients of tables and weight. `gradient` [rows, out] is the derivative by the
  // output of the last Forward, for the same rows: the inputs gathered there are reused. The caller
  // computes the gradient of the bias.
  void Backward(const PackedRows& rows, const float* gradient, Product& product,
                const std::vector<TableGradient>& tables, float* weight);

 private:
  struct Factored {
    size_t column = 0;
    std::vector<float> product;   // Table times its slice of W: [cardinality, out].
    std::vector<float> gradient;  // Gradient of the product.
  };
  // A contiguous range of x that is gathered row by row and multiplied as usual: embeddings of
  // columns with many categories and, at the end of x, the numeric values.
  struct Run {
    std::vector<size_t> columns;
    NumberInput numbers;  // After the embeddings.
    int64_t offset = 0;
    int64_t embedded = 0;  // Width of the embeddings.
    int64_t width = 0;
    std::vector<float> input;  // [rows, width] of the last Forward.
  };

  void AddRun(const std::vector<size_t>& columns, const NumberInput& numbers);
  void MultiplyTables(Product& product);
  MatrixView FillInput(Run& run, const PackedRows& rows) const;
  void BackwardRun(const Run& run, const PackedRows& rows, const float* gradient, Product& product,
                   const std::vector<TableGradient>& tables, float* weight);
  void BackwardFactored(const PackedRows& rows, const float* gradient, Product& product,
                        const std::vector<TableGradient>& tables, float* weight);
  // The columns of W for inputs offset .. offset + width - 1.
  MatrixView PartOfWeight(int64_t offset, int64_t width) const {
    return MatrixView::Of(weight_, out_, in_).Columns(offset, width);
  }
  MatrixView Table(size_t column) const {
    return MatrixView::Of(tables_[column], cardinalities_[column], columns_[column].width);
  }

  int64_t in_ = 0;
  int64_t out_ = 0;
  std::vector<EmbeddedColumn> columns_;
  std::vector<int64_t> cardinalities_;  // Of the columns.
  std::vector<Factored> factored_;
  std::vector<Run> runs_;
  std::vector<const float*> tables_;
  const float* weight_ = nullptr;
  const float* bias_ = nullptr;
  std::vector<float> embedded_gradient_;
};

}  // namespace protium
