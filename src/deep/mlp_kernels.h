// SPDX-License-Identifier: Apache-2.0
// Loops of tabular_mlp that are no matrix product. Each element is one chain of float operations in
// the order of the rows, so that no width of vector changes bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/net.h"

namespace protium {

// A categorical column's place among the inputs of the first layer.
struct EmbeddedColumn {
  int64_t offset = 0;
  int64_t width = 0;
};

// Fills [rows, embedded + numeric]: each row's embeddings, then its numeric values.
void GatherInput(const RowBlock& rows, const std::vector<EmbeddedColumn>& columns,
                 const std::vector<const float*>& tables, float* out);

// Adds row i's slice of `gradient` [rows, stride] to the row of `table` that its category names.
void ScatterEmbedded(const RowBlock& rows, int64_t category, const EmbeddedColumn& column,
                     const float* gradient, int64_t stride, float* table);

// out[j] = sum over i of in[i, j].
void SumColumns(const float* in, int64_t rows, int64_t columns, float* out);

// gradient[i] = activated[i] > 0 ? gradient[i] * factor : 0.
void BackwardRelu(std::span<const float> activated, float factor, std::span<float> gradient);

// to[i] += from[i].
void AddTo(std::span<float> to, std::span<const float> from);

}  // namespace protium
