// SPDX-License-Identifier: Apache-2.0
// The loops of these nets that are not matrix products. Each element is one chain of float
// operations in the order of the rows, so the width of the processor's vectors never changes bits.
// The kernels do not check categories: rows were checked when they were sharded (CheckCategories).
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collective/sparse_rows.h"
#include "rows/packed.h"

namespace protium {

// The position of a categorical column's embedding in the input of the first layer, in floats.
struct EmbeddedColumn {
  int64_t category = 0;  // Which of the categories of a row.
  int64_t offset = 0;
  int64_t width = 0;
};

// How the numeric values of a row enter: as they are, or with `pieces` each becomes so many.
struct NumberInput {
  int64_t numbers = 0;
  int64_t pieces = 0;
  int64_t width() const { return numbers * (pieces > 0 ? pieces : 1); }
};

// Fills `out` [rows, sum of the widths of `columns` + width of the numbers]: each row's embeddings
// in the order of `columns`, then its numbers. tables[c], of the same width, belongs to columns[c].
// A category below 0 (kUnseenId) has zeros.
void GatherInput(const PackedRows& rows, const std::vector<EmbeddedColumn>& columns,
                 const std::vector<const float*>& tables, const NumberInput& numbers, float* out);

// A row of floats for each value of a category.
struct CategoryRows {
  int64_t category = 0;  // Which of the categories of a row.
  float* rows = nullptr;
};

// out[i] = start + the table rows of row i's categories, added in the order of `tables`. `start`
// and all table rows have `width` floats; out is [rows, width].
void SumByCategory(const PackedRows& rows, const std::vector<CategoryRows>& tables,
                   const float* start, int64_t width, float* out);

// The backward pass of SumByCategory(): adds the first `width` values of row i of `gradient` [rows,
// stride] to the table rows, of this width, of row i's categories. Does not clear the tables first.
void AddByCategory(const PackedRows& rows, const float* gradient, int64_t stride, int64_t width,
                   const std::vector<CategoryRows>& tables);

// The same for one category whose table rows are kept apart.
void AddToRows(const PackedRows& rows, const float* gradient, int64_t stride, int64_t category,
               SparseRows& table);

// Fills `out` [rows, columns] with copies of `row`.
void RepeatRow(const float* row, int64_t columns, int64_t rows, float* out);

// out[j] = sum over i of in[i, j], in the order of the rows; at least one row.
void SumColumns(const float* in, int64_t rows, int64_t columns, float* out);

// gradient[i] = activated[i] > 0 ? gradient[i] * factor : 0. One test undoes both ReLU and dropout:
// a dropped neuron is 0 in `activated` as well. `factor` is what ReluDropout() returned.
void BackwardRelu(std::span<const float> activated, float factor, std::span<float> gradient);

// The scale and bias of each member, [members, width].
struct MemberTensors {
  const float* scale = nullptr;
  const float* bias = nullptr;
  int64_t members = 1;
  int64_t width = 0;
};
// out[i, m] = in[i] * scale[m] + bias[m]; in is [rows, width], out [rows, members, width].
void SpreadMembers(const float* in, int64_t rows, const MemberTensors& tensors, float* out);
// Its backward pass, with the same `in`: sets the derivatives `by_in` [rows, width], and `scale`
// and `bias`, by the parameters.
void GatherMembers(const float* in, const float* gradient, int64_t rows,
                   const MemberTensors& tensors, float* by_in, float* scale, float* bias);

// to[i] += from[i].
void AddTo(std::span<float> to, std::span<const float> from);

}  // namespace protium
