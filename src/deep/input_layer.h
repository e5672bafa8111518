// SPDX-License-Identifier: Apache-2.0
// The first dense layer over embedded categories and numeric values: x W' + b, where x is a row's
// embeddings, one after another, and its numbers.
//
// A column of few categories takes few different parts of x: each of them times its part of W is
// computed once, and a row adds the products that its categories name. Backward, the gradients of
// rows are added up by category first. That is the same sum in another order, for a fraction of the
// multiplications; which columns are taken so depends on their cardinalities alone.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "deep/mlp_kernels.h"
#include "tensor/net.h"

namespace protium {

// Calls may throw LibTorch's exceptions. One thread.
class InputLayer {
 public:
  // widths[c] is that of the embedding of a column with cardinalities[c] categories.
  InputLayer(const std::vector<int64_t>& cardinalities, const std::vector<int64_t>& widths,
             int64_t numeric, int64_t out);

  // The width of x.
  int64_t in() const { return in_; }

  // Tables [cardinality, width] by column, weight W [out, in] and bias [out]; before anything
  // below.
  void Bind(std::vector<at::Tensor> tables, at::Tensor weight, at::Tensor bias);

  // Overwrites `out` [rows, out].
  void Forward(const Batch& rows, const at::Tensor& out);

  // Overwrites the gradients of tables and weight; `gradient` [rows, out] is that of what the last
  // Forward gave for the same rows. The gradient of the bias is left to the caller.
  void Backward(const Batch& rows, const at::Tensor& gradient,
                const std::vector<at::Tensor>& tables, const at::Tensor& weight);

 private:
  struct Factored {
    size_t column = 0;
    at::Tensor product;   // Table times its part of W: [cardinality, out].
    at::Tensor gradient;  // Of the product.
  };
  // Neighbours in x that rows bring along: embeddings of columns of many categories, and, at the
  // end of x, the numbers.
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
