// SPDX-License-Identifier: Apache-2.0
#include "nets/input_layer.h"

#include <algorithm>
#include <utility>

#include "nets/layers.h"

namespace protium {

InputLayer::InputLayer(const std::vector<TableColumn>& tables, const NumberInput& numbers,
                       int64_t out)
    : out_(out) {
  // Adjacent columns of many categories in x share one matrix product; a column of few categories
  // between them ends the run, since a run must be one contiguous range of W's columns.
  std::vector<size_t> waiting;  // Columns of the next run.
  for (size_t c = 0; c < tables.size(); ++c) {
    const int64_t cardinality = tables[c].cardinality, width = tables[c].width;
    columns_.push_back({.category = tables[c].category, .offset = in_, .width = width});
    cardinalities_.push_back(cardinality);
    if (tables[c].factored) {
      AddRun(std::exchange(waiting, {}), {});
      const auto floats = size_t(cardinality * out);
      factored_.push_back({.column = c,
                           .product = std::vector<float>(floats),
                           .gradient = std::vector<float>(floats)});
    } else {
      waiting.push_back(c);
    }
    in_ += width;
  }
  AddRun(waiting, numbers);
  in_ += numbers.width();
}

// The run ends at the end of the inputs counted so far.
void InputLayer::AddRun(const std::vector<size_t>& columns, const NumberInput& numbers) {
  int64_t embedded = 0;
  for (const size_t c : columns) embedded += columns_[c].width;
  if (embedded + numbers.width() == 0) return;
  runs_.push_back({.columns = columns,
                   .numbers = numbers,
                   .offset = in_ - embedded,
                   .embedded = embedded,
                   .width = embedded + numbers.width()});
}

void InputLayer::Bind(std::vector<const float*> tables, const float* weight, const float* bias) {
  tables_ = std::move(tables);
  weight_ = weight;
  bias_ = bias;
}

void InputLayer::MultiplyTables(Product& product) {
  for (Factored& each : factored_) {
    const EmbeddedColumn& column = columns_[each.column];
    product.Set(Table(each.column), PartOfWeight(column.offset, column.width).Transposed(),
                each.product.data(), out_);
  }
}

MatrixView InputLayer::FillInput(Run& run, const PackedRows& rows) const {
  std::vector<EmbeddedColumn> columns;
  std::vector<const float*> tables;
  for (const size_t c : run.columns) {
    columns.push_back(columns_[c]);
    tables.push_back(tables_[c]);
  }
  run.input.resize(size_t(rows.size() * run.width));
  GatherInput(rows, columns, tables, run.numbers, run.input.data());
  return MatrixView::Of(run.input.data(), rows.size(), run.width);
}

void InputLayer::Forward(const PackedRows& rows, Product& product, float* out) {
  MultiplyTables(product);
  std::vector<CategoryRows> products;
  for (Factored& each : factored_) {
    products.push_back({columns_[each.column].category, each.product.data()});
  }
  SumByCategory(rows, products, bias_, out_, out);
  for (Run& run : runs_) {
    product.Add(FillInput(run, rows), PartOfWeight(run.offset, run.width).Transposed(), out, out_);
  }
}

void InputLayer::Backward(const PackedRows& rows, const float* gradient, Product& product,
                          const std::vector<TableGradient>& tables, float* weight) {
  for (const Run& run : runs_) BackwardRun(run, rows, gradient, product, tables, weight);
  BackwardFactored(rows, gradient, product, tables, weight);
}

void InputLayer::BackwardRun(const Run& run, const PackedRows& rows, const float* gradient,
                             Product& product, const std::vector<TableGradient>& tables,
                             float* weight) {
  const MatrixView by_out = MatrixView::Of(gradient, rows.size(), out_);
  // run.input still holds what Forward() gathered for these rows.
  product.Set(by_out.Transposed(), MatrixView::Of(run.input.data(), rows.size(), run.width),
              weight + run.offset, in_);
  if (run.embedded == 0) return;
  embedded_gradient_.resize(size_t(rows.size() * run.embedded));
  product.Set(by_out, PartOfWeight(run.offset, run.embedded), embedded_gradient_.data(),
              run.embedded);
  for (const size_t c : run.columns) {
    const auto& [category, offset, width] = columns_[c];
    const float* const by_embedding = embedded_gradient_.data() + offset - run.offset;
    if (tables[c].rows != nullptr) {
      AddToRows(rows, by_embedding, run.embedded, category, *tables[c].rows);
      continue;
    }
    // Table rows that no row of the batch uses have a gradient of zero, and the kernel only adds.
    std::fill_n(tables[c].whole, cardinalities_[c] * width, 0.0f);
    AddByCategory(rows, by_embedding, run.embedded, width, {{category, tables[c].whole}});
  }
}

void InputLayer::BackwardFactored(const PackedRows& rows, const float* gradient, Product& product,
                                  const std::vector<TableGradient>& tables, float* weight) {
  if (factored_.empty()) return;
  std::vector<CategoryRows> sums;
  for (Factored& each : factored_) {
    std::ranges::fill(each.gradient, 0.0f);
    sums.push_back({columns_[each.column].category, each.gradient.data()});
  }
  AddByCategory(rows, gradient, out_, out_, sums);
  for (const Factored& each : factored_) {
    const EmbeddedColumn& column = columns_[each.column];
    const MatrixView by_out =
        MatrixView::Of(each.gradient.data(), cardinalities_[each.column], out_);
    product.Set(by_out, PartOfWeight(column.offset, column.width), tables[each.column].whole,
                column.width);
    product.Set(by_out.Transposed(), Table(each.column), weight + column.offset, in_);
  }
}

}  // namespace protium
