// SPDX-License-Identifier: Apache-2.0
#include "tensor/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "tensor/guard.h"

namespace protium {

Predictor::Predictor(Net& net, RowShape shape)
    : net_(net), shape_(shape), padded_(size_t(kPredictRows * shape.stride())) {}

Status Predictor::Predict(const RowBlock& rows, std::span<float> out) {
  for (int64_t at = 0; at < rows.rows; at += kPredictRows) {
    const int64_t n = std::min(kPredictRows, rows.rows - at);
    RowBlock block{rows.row(at), kPredictRows, shape_};
    if (n < kPredictRows) {
      const size_t filled = size_t(n * shape_.stride());
      std::copy_n(block.data, filled, padded_.begin());
      std::fill(padded_.begin() + int64_t(filled), padded_.end(), 0.0f);
      block.data = padded_.data();
    }
    PT_TRY(Guard("predicting", [&] {
      const at::Tensor outputs = net_.Forward(block, nullptr).contiguous();
      std::copy_n(outputs.const_data_ptr<float>(), n, out.begin() + at);
    }));
  }
  return Status::OK();
}

Status CheckCategories(const RowBlock& rows, std::span<const int64_t> cardinalities,
                       std::span<const std::string> names) {
  for (int64_t i = 0; i < rows.rows; ++i) {
    const int32_t* categories = rows.categories(i);
    for (size_t c = 0; c < cardinalities.size(); ++c) {
      if (categories[c] >= 0 && categories[c] < cardinalities[c]) continue;
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column {} holds category {}, but the net knows 0 to {}",
                                       names[c], categories[c], cardinalities[c] - 1),
                   .where = names[c],
                   .fix = "index the column with a string_indexer"});
    }
  }
  return Status::OK();
}

}  // namespace protium
