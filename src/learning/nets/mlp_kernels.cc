// SPDX-License-Identifier: Apache-2.0
#include "nets/mlp_kernels.h"

#include <algorithm>

#include "base/clones.h"
#include "nets/pieces.h"

namespace protium {

PT_CLONES void GatherInput(const PackedRows& rows, const std::vector<EmbeddedColumn>& columns,
                           const std::vector<const float*>& tables, const NumberInput& numbers,
                           float* out) {
  const FieldRows<int32_t> all = rows.ints(kCategoriesField);
  const FieldRows<float> values = rows.floats(kNumericField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int32_t* categories = all.at(i);
    for (size_t c = 0; c < columns.size(); ++c) {
      const int64_t width = columns[c].width, category = categories[columns[c].category];
      out = category < 0 ? std::fill_n(out, width, 0.0f)
                         : std::copy_n(tables[c] + category * width, width, out);
    }
    if (numbers.pieces == 0) {
      out = std::copy_n(values.at(i), numbers.numbers, out);
      continue;
    }
    for (int64_t n = 0; n < numbers.numbers; ++n, out += numbers.pieces) {
      Pieces(values.at(i)[n], numbers.pieces, out);
    }
  }
}

PT_CLONES void SumByCategory(const PackedRows& rows, const std::vector<CategoryRows>& tables,
                             const float* start, int64_t width, float* out) {
  const FieldRows<int32_t> all = rows.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.size(); ++i, out += width) {
    const int32_t* categories = all.at(i);
    std::copy_n(start, width, out);
    for (const CategoryRows& table : tables) {
      const float* from = table.rows + categories[table.category] * width;
      for (int64_t j = 0; j < width; ++j) out[j] += from[j];
    }
  }
}

PT_CLONES void AddByCategory(const PackedRows& rows, const float* gradient, int64_t stride,
                             int64_t width, const std::vector<CategoryRows>& tables) {
  const FieldRows<int32_t> all = rows.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.size(); ++i, gradient += stride) {
    const int32_t* categories = all.at(i);
    for (const CategoryRows& table : tables) {
      float* to = table.rows + categories[table.category] * width;
      for (int64_t j = 0; j < width; ++j) to[j] += gradient[j];
    }
  }
}

void AddToRows(const PackedRows& rows, const float* gradient, int64_t stride, int64_t category,
               SparseRows& table) {
  const FieldRows<int32_t> all = rows.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.size(); ++i, gradient += stride) {
    float* const to = table.At(all.at(i)[category]);
    for (int64_t j = 0; j < table.width(); ++j) to[j] += gradient[j];
  }
}

void RepeatRow(const float* row, int64_t columns, int64_t rows, float* out) {
  for (int64_t i = 0; i < rows; ++i) out = std::copy_n(row, columns, out);
}

PT_CLONES void SumColumns(const float* in, int64_t rows, int64_t columns, float* out) {
  std::copy_n(in, columns, out);
  for (int64_t i = 1; i < rows; ++i) {
    const float* row = in + i * columns;
    for (int64_t j = 0; j < columns; ++j) out[j] += row[j];
  }
}

PT_CLONES void BackwardRelu(std::span<const float> activated, float factor,
                            std::span<float> gradient) {
  const float* h = activated.data();
  float* g = gradient.data();
  const size_t n = gradient.size();
  for (size_t i = 0; i < n; ++i) g[i] = h[i] > 0 ? g[i] * factor : 0.0f;
}

PT_CLONES void SpreadMembers(const float* in, int64_t rows, const MemberTensors& tensors,
                             float* out) {
  const int64_t width = tensors.width;
  for (int64_t i = 0; i < rows; ++i, in += width) {
    const float* scale = tensors.scale;
    const float* bias = tensors.bias;
    for (int64_t m = 0; m < tensors.members; ++m, out += width, scale += width, bias += width) {
      for (int64_t j = 0; j < width; ++j) out[j] = in[j] * scale[j] + bias[j];
    }
  }
}

PT_CLONES void GatherMembers(const float* in, const float* gradient, int64_t rows,
                             const MemberTensors& tensors, float* by_in, float* scale,
                             float* bias) {
  const int64_t width = tensors.width, count = tensors.members * width;
  std::fill_n(scale, count, 0.0f);
  std::fill_n(bias, count, 0.0f);
  std::fill_n(by_in, rows * width, 0.0f);
  for (int64_t i = 0; i < rows; ++i, in += width, by_in += width) {
    for (int64_t at = 0; at < count; at += width, gradient += width) {
      for (int64_t j = 0; j < width; ++j) {
        by_in[j] += gradient[j] * tensors.scale[at + j];
        scale[at + j] += gradient[j] * in[j];
        bias[at + j] += gradient[j];
      }
    }
  }
}

PT_CLONES void AddTo(std::span<float> to, std::span<const float> from) {
  float* a = to.data();
  const float* b = from.data();
  const size_t n = to.size();
  for (size_t i = 0; i < n; ++i) a[i] += b[i];
}

}  // namespace protium
