// SPDX-License-Identifier: Apache-2.0
// Packed rows from a random generator, for tests and benchmarks.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tensor/net.h"
#include "tensor/philox.h"

namespace protium {

// Inputs of `numeric` numeric columns and these categories and lists, with one label and a weight.
inline NetInputs TabularInputs(int64_t numeric, std::vector<int64_t> cardinalities,
                               int64_t outputs = 1, std::vector<ListColumn> lists = {}) {
  RowColumns columns{.labels = {{"label"}}, .weight = "weight", .lists = std::move(lists)};
  for (int64_t i = 0; i < numeric; ++i) columns.numeric.push_back("n" + std::to_string(i));
  for (size_t c = 0; c < cardinalities.size(); ++c) {
    columns.categories.push_back("c" + std::to_string(c));
  }
  return {.rows = MakeRowSchema(columns),
          .cardinalities = std::move(cardinalities),
          .outputs = outputs};
}

class SyntheticRows {
 public:
  struct Spec {
    int64_t rows = 0;
    int64_t numeric = 0;
    std::vector<int64_t> cardinalities;
    uint64_t seed = 0;
    std::vector<ListColumn> lists = {};
    int64_t tokens = 0;  // Above 0: elements of lists are whole numbers below it.
  };

  // Numbers from [-1, 1), uniform categories, weight 1; the label is a sum of some values.
  explicit SyntheticRows(const Spec& spec)
      : rows_(spec.rows),
        schema_(TabularInputs(spec.numeric, spec.cardinalities, 1, spec.lists).rows) {
    const int64_t stride = schema_.width() / 4;
    memory_.resize(size_t(rows_ * stride));
    DrawUniform(spec.seed, -1, 1, memory_);
    for (int64_t i = 0; i < rows_; ++i) {
      float* row = memory_.data() + i * stride;
      float label = row[spec.numeric];
      for (int64_t j = 0; j < spec.numeric; j += 2) label += row[j];
      row[spec.numeric] = label;
      row[spec.numeric + 1] = 1;
      for (size_t c = 0; c < spec.cardinalities.size(); ++c) {
        float& cell = row[spec.numeric + 2 + int64_t(c)];
        const auto category = int32_t((cell + 1) * 0.5f * float(spec.cardinalities[c]));
        std::memcpy(&cell, &category, sizeof category);
      }
      const int64_t first = spec.numeric + 2 + int64_t(spec.cardinalities.size());
      for (int64_t j = first; spec.tokens > 0 && j < stride; ++j) {
        row[j] = std::floor((row[j] + 1) * 0.5f * float(spec.tokens));
      }
    }
  }

  const RowSchema& schema() const { return schema_; }
  BatchRows batch() const { return batch(0, rows_); }
  BatchRows batch(int64_t begin, int64_t end) const {
    return BatchRows(schema_, memory_.data(), rows_).Slice(begin, end);
  }

 private:
  int64_t rows_;
  RowSchema schema_;
  std::vector<float> memory_;
};

}  // namespace protium
