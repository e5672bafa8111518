// SPDX-License-Identifier: Apache-2.0
// Packed rows made of nothing: for tests and benchmarks.
#pragma once

#include <cstring>
#include <vector>

#include "tensor/net.h"
#include "tensor/philox.h"

namespace protium {

class SyntheticRows {
 public:
  struct Spec {
    int64_t rows = 0;
    int64_t numeric = 0;
    std::vector<int64_t> cardinalities;
    uint64_t seed = 0;
  };

  // Values from [-1, 1), even categories, weight 1; the label is a sum of some values.
  explicit SyntheticRows(const Spec& spec)
      : rows_(spec.rows), shape_{spec.numeric, int64_t(spec.cardinalities.size())} {
    memory_.resize(size_t(rows_ * shape_.stride()));
    DrawUniform(spec.seed, -1, 1, memory_);
    for (int64_t i = 0; i < rows_; ++i) {
      float* row = memory_.data() + i * shape_.stride();
      float label = row[shape_.numeric];
      for (int64_t j = 0; j < shape_.numeric; j += 2) label += row[j];
      row[shape_.numeric] = label;
      row[shape_.numeric + 1] = 1;
      for (size_t c = 0; c < spec.cardinalities.size(); ++c) {
        float& cell = row[shape_.numeric + 2 + int64_t(c)];
        const auto category = int32_t((cell + 1) * 0.5f * float(spec.cardinalities[c]));
        std::memcpy(&cell, &category, sizeof category);
      }
    }
  }

  RowBlock block() const { return block(0, rows_); }
  RowBlock block(int64_t begin, int64_t end) const {
    return {memory_.data() + begin * shape_.stride(), end - begin, shape_};
  }

 private:
  int64_t rows_;
  RowShape shape_;
  std::vector<float> memory_;
};

}  // namespace protium
