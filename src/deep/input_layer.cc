// SPDX-License-Identifier: Apache-2.0
#include "deep/input_layer.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <utility>

#include "deep/float_tensor.h"

namespace protium {
namespace {

// The most categories of a column whose whole table is multiplied: with more of them this costs
// more than multiplying the rows of a usual shard of a batch.
constexpr int64_t kMostFactored = 128;

// The first `rows` of a tensor of this width, which grows when it has fewer.
at::Tensor ReserveRows(at::Tensor& tensor, int64_t rows, int64_t width) {
  if (!tensor.defined() || tensor.size(0) < rows || tensor.size(1) != width) {
    tensor = at::empty({rows, width});
  }
  return tensor.narrow(0, 0, rows);
}

}  // namespace

InputLayer::InputLayer(const std::vector<TableColumn>& tables, int64_t numeric, int64_t out)
    : numeric_(numeric), out_(out) {
  // Columns of many categories that lie side by side in x share one matrix product; one of few
  // between them ends the run, since a run must be one contiguous range of W's columns.
  std::vector<size_t> waiting;  // Columns of the next run.
  for (size_t c = 0; c < tables.size(); ++c) {
    const int64_t cardinality = tables[c].cardinality, width = tables[c].width;
    columns_.push_back({.category = tables[c].category, .offset = in_, .width = width});
    if (cardinality <= kMostFactored) {
      AddRun(std::exchange(waiting, {}), 0);
      factored_.push_back({.column = c,
                           .product = at::empty({cardinality, out}),
                           .gradient = at::empty({cardinality, out})});
    } else {
      waiting.push_back(c);
    }
    in_ += width;
  }
  AddRun(waiting, numeric);
  in_ += numeric;
}

// The run ends where the inputs that were counted so far end.
void InputLayer::AddRun(const std::vector<size_t>& columns, int64_t numeric) {
  int64_t embedded = 0;
  for (const size_t c : columns) embedded += columns_[c].width;
  if (embedded + numeric == 0) return;
  runs_.push_back({.columns = columns,
                   .offset = in_ - embedded,
                   .embedded = embedded,
                   .width = embedded + numeric});
}

void InputLayer::Bind(std::vector<at::Tensor> tables, at::Tensor weight, at::Tensor bias) {
  tables_ = std::move(tables);
  weight_ = std::move(weight);
  bias_ = std::move(bias);
}

at::Tensor InputLayer::SliceColumn(const at::Tensor& weight, const EmbeddedColumn& column) const {
  return weight.narrow(1, column.offset, column.width);
}

void InputLayer::MultiplyTables() {
  for (Factored& each : factored_) {
    at::mm_out(each.product, tables_[each.column], SliceColumn(weight_, columns_[each.column]).t());
  }
}

at::Tensor InputLayer::FillInput(Run& run, const Batch& rows) {
  std::vector<EmbeddedColumn> columns;
  std::vector<const float*> tables;
  for (const size_t c : run.columns) {
    columns.push_back(columns_[c]);
    tables.push_back(FloatData(tables_[c]));
  }
  const at::Tensor input = ReserveRows(run.input, rows.size(), run.width);
  GatherInput(rows, columns, tables, run.width - run.embedded, FloatData(input));
  return input;
}

void InputLayer::Forward(const Batch& rows, const at::Tensor& out) {
  MultiplyTables();
  std::vector<CategoryRows> products;
  for (const Factored& each : factored_) {
    products.push_back({columns_[each.column].category, FloatData(each.product)});
  }
  SumByCategory(rows, products, FloatData(bias_), out_, FloatData(out));
  for (Run& run : runs_) {
    at::Tensor sum = out;
    at::addmm_out(sum, out, FillInput(run, rows), weight_.narrow(1, run.offset, run.width).t());
  }
}

void InputLayer::Backward(const Batch& rows, const at::Tensor& gradient,
                          const std::vector<at::Tensor>& tables, const at::Tensor& weight) {
  for (Run& run : runs_) BackwardRun(run, rows, gradient, tables, weight);
  BackwardFactored(rows, gradient, tables, weight);
}

void InputLayer::BackwardRun(Run& run, const Batch& rows, const at::Tensor& gradient,
                             const std::vector<at::Tensor>& tables, const at::Tensor& weight) {
  at::Tensor part = weight.narrow(1, run.offset, run.width);
  // run.input still holds what Forward gathered for these rows.
  at::mm_out(part, gradient.t(), run.input.narrow(0, 0, rows.size()));
  if (run.embedded == 0) return;
  at::Tensor embedded = ReserveRows(embedded_gradient_, rows.size(), run.embedded);
  at::mm_out(embedded, gradient, weight_.narrow(1, run.offset, run.embedded));
  for (const size_t c : run.columns) {
    // Rows of a table that no row of the batch names have a gradient of zero, and the kernel only
    // adds.
    tables[c].zero_();
    AddByCategory(rows, FloatData(embedded) + columns_[c].offset - run.offset, run.embedded,
                  columns_[c].width, {{columns_[c].category, FloatData(tables[c])}});
  }
}

void InputLayer::BackwardFactored(const Batch& rows, const at::Tensor& gradient,
                                  const std::vector<at::Tensor>& tables, const at::Tensor& weight) {
  if (factored_.empty()) return;
  std::vector<CategoryRows> sums;
  for (const Factored& each : factored_) {
    each.gradient.zero_();
    sums.push_back({columns_[each.column].category, FloatData(each.gradient)});
  }
  AddByCategory(rows, FloatData(gradient), out_, out_, sums);
  for (const Factored& each : factored_) {
    const EmbeddedColumn& column = columns_[each.column];
    at::Tensor table = tables[each.column], part = SliceColumn(weight, column);
    at::mm_out(table, each.gradient, SliceColumn(weight_, column));
    at::mm_out(part, each.gradient.t(), tables_[each.column]);
  }
}

}  // namespace protium
