// SPDX-License-Identifier: Apache-2.0
#include "tensor/predict.h"

#include <algorithm>
#include <cstring>

#include "tensor/guard.h"

namespace protium {

Status Predictor::Predict(const BatchRows& rows, std::span<float> out) {
  // So many rows take little memory compared with the rows that they are a block of.
  constexpr int64_t kMostRows = 16384;
  const int64_t height = apart() ? kMostRows : device_.predict_rows();
  for (int64_t at = 0; at < rows.size(); at += height) {
    const int64_t n = std::min(height, rows.size() - at);
    PT_TRY(Guard("predicting", [&] {
      return PredictBlock(rows.Slice(at, at + n), n, out.data() + at * outputs_);
    }));
  }
  return Status::OK();
}

Status Predictor::PredictBlock(const BatchRows& given, int64_t rows, float* out) {
  const int64_t height = apart() ? rows : device_.predict_rows(), width = given.schema().width();
  BatchRows block = given;
  if (rows < height || device_.staged()) {
    std::byte* const to = block_.Reserve(height * width);
    std::memcpy(to, given.row(0), size_t(rows * width));
    std::memset(to + rows * width, 0, size_t((height - rows) * width));
    block = block_.Send(given.schema(), height);
  }
  const FloatValues outputs = net_.Forward(block, nullptr);
  std::copy_n(device_.Fetch(outputs, outputs_here_).data(), rows * outputs_, out);
  return Status::OK();
}

}  // namespace protium
