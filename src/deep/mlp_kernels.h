// SPDX-License-Identifier: Apache-2.0
// Loops of tabular_mlp that are no matrix product. Each element is one chain of float operations in
// the order of the rows, so that no width of vector changes bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/batch.h"

namespace protium {

// A categorical column's part of the inputs of the first layer.
struct EmbeddedColumn {
  int64_t category = 0;  // Which of the categories of a row.
  int64_t offset = 0;
  int64_t width = 0;
};

// Fills [rows, widths of `columns` + numeric]: each row's embeddings, then its first `numeric`
// values.
void GatherInput(const Batch& rows, const std::vector<EmbeddedColumn>& columns,
                 const std::vector<const float*>& tables, int64_t numeric, float* out);

// A row of floats for each value of a category.
struct CategoryRows {
  int64_t category = 0;  // Which of the categories of a row.
  float* rows = nullptr;
};

// out[i] = start + the rows that the categories of row i name, in the order of `tables`; all of
// this width.
void SumByCategory(const Batch& rows, const std::vector<CategoryRows>& tables, const float* start,
                   int64_t width, float* out);

// Adds the first `width` values of row i of `gradient` [rows, stride] to the rows, of this width,
// that the categories of row i name.
void AddByCategory(const Batch& rows, const float* gradient, int64_t stride, int64_t width,
                   const std::vector<CategoryRows>& tables);

// out[j] = sum over i of in[i, j].
void SumColumns(const float* in, int64_t rows, int64_t columns, float* out);

// gradient[i] = activated[i] > 0 ? gradient[i] * factor : 0.
void BackwardRelu(std::span<const float> activated, float factor, std::span<float> gradient);

}  // namespace protium
