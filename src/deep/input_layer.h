// SPDX-License-Identifier: Apache-2.0
// The first dense layer over embedded categories and numeric values: x W' + b, where x is a row's
// embeddings, one after another, followed by its numeric values.
//
// A column with few categories contributes only few different pieces to x. The product of each such
// piece with its slice of W is computed once per call, and a row adds the products that its
// categories name; in backward, the gradients of rows are first summed by category. This is the
// same sum in another order, for a fraction of the multiplications. Which columns are treated so
// depends on their cardinalities alone, never on the rows, so the order of additions is the same in
// every step and on every rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "deep/mlp_kernels.h"
#include "tensor/net.h"

namespace protium {

// A categorical column and the table of its embeddings.
struct TableColumn {
  int64_t category = 0;  // Which of the categories of a row.
  int64_t cardinality = 0;
  int64_t width = 0;
};

// Calls may throw LibTorch's exceptions. One thread.
class InputLayer {
 public:
  // `numeric` is the number of numeric values, `out` the number of neurons.
  InputLayer(const std::vector<TableColumn>& tables, int64_t numeric, int64_t out);

  // The width of x.
  int64_t in() const { return in_; }

  // Tables [cardinality, width] by column, weight W [out, in] and bias [out], all contiguous; must
  // come before the calls below. The tensors are shared with the caller, who updates them in place.
  void Bind(std::vector<at::Tensor> tables, at::Tensor weight, at::Tensor bias);

  // Overwrites `out` [rows, out].
  void Forward(const Batch& rows, const at::Tensor& out);

  // Overwrites the gradients of tables and weight. `gradient` [rows, out] is the derivative by the
  // output of the last Forward, for the same rows: the inputs gathered there are reused. The
  // gradient of the bias is left to the caller.
  void Backward(const Batch& rows, const at::Tensor& gradient,
                const std::vector<at::Tensor>& tables, const at::Tensor& weight);

 private:
  struct Factored {
    size_t column = 0;
    at::Tensor product;   // Table times its part of W: [cardinality, out].
    at::Tensor gradient;  // Of the product.
  };
  // A stretch of neighbours in x that is gathered row by row and multiplied as usual: embeddings of
  // columns with many categories and, at the end of x, the numeric values.
  struct Run {
    std::vector<size_t> columns;
    int64_t offset = 0;
    int64_t embedded = 0;  // Width of the embeddings; numbers follow them.
    int64_t width = 0;
    at::Tensor input;  // [at least rows, width].
  };

  void AddRun(const std::vector<size_t>& columns, int64_t numeric);
  void MultiplyTables();
  at::Tensor FillInput(Run& run, const Batch& rows);
  void BackwardRun(Run& run, const Batch& rows, const at::Tensor& gradient,
                   const std::vector<at::Tensor>& tables, const at::Tensor& weight);
  void BackwardFactored(const Batch& rows, const at::Tensor& gradient,
                        const std::vector<at::Tensor>& tables, const at::Tensor& weight);
  at::Tensor SliceColumn(const at::Tensor& weight, const EmbeddedColumn& column) const;

  int64_t in_ = 0;
  int64_t numeric_ = 0;
  int64_t out_ = 0;
  std::vector<EmbeddedColumn> columns_;
  std::vector<Factored> factored_;
  std::vector<Run> runs_;
  std::vector<at::Tensor> tables_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor embedded_gradient_;
};

}  // namespace protium
