// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "nets/dense.h"
#include "nets/forward.h"

namespace protium {
namespace {

// out = bias + tables[category of row] ... + numeric x weight'
class ForwardLinear final : public ForwardNet {
 public:
  ForwardLinear(const ForwardShape& shape, std::vector<const float*> tables, const float* bias,
                Dense numeric)
      : outputs_(shape.outputs),
        tables_(std::move(tables)),
        bias_(bias, bias + shape.outputs),
        numeric_(std::move(numeric)) {}

  void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const override {
    std::vector<float>& sums = scratch.layers[0];
    const int64_t width = numeric_.width();
    sums.assign(size_t(rows.size() * width), 0);
    const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
    for (int64_t i = 0; i < rows.size(); ++i) {
      float* row = sums.data() + i * width;
      std::copy(bias_.begin(), bias_.end(), row);
      for (size_t c = 0; c < tables_.size(); ++c) {
        const float* from = tables_[c] + categories.at(i)[c] * outputs_;
        for (int64_t j = 0; j < outputs_; ++j) row[j] += from[j];
      }
    }
    const FieldRows<float> numeric = rows.floats(kNumericField);
    numeric_.Add(numeric.first, numeric.stride, rows.size(), sums.data());
    for (int64_t i = 0; i < rows.size(); ++i, out += outputs_) {
      std::copy_n(sums.data() + i * width, outputs_, out);
    }
  }

 private:
  int64_t outputs_;
  std::vector<const float*> tables_;  // Borrowed.
  std::vector<float> bias_;
  Dense numeric_;
};

}  // namespace

Result<std::unique_ptr<ForwardNet>> MakeForwardLinear(const ForwardShape& shape,
                                                      const FindWeight& find,
                                                      const std::string& prefix) {
  std::vector<const float*> tables;
  for (size_t c = 0; c < shape.cardinalities.size(); ++c) {
    PT_LET(tables.emplace_back(), FindShaped(find, fmt::format("{}category.{}.weight", prefix, c),
                                             {shape.cardinalities[c], shape.outputs}));
  }
  const float* weight = nullptr;
  if (shape.numeric > 0) {
    PT_LET(weight, FindShaped(find, prefix + "weight", {shape.outputs, shape.numeric}));
  }
  PT_LET(const float* bias, FindShaped(find, prefix + "bias", {shape.outputs}));
  return std::make_unique<ForwardLinear>(shape, std::move(tables), bias,
                                         Dense(weight, shape.outputs, shape.numeric));
}

}  // namespace protium
