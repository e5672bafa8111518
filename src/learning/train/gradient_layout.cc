// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_layout.h"

namespace protium {

// What lies between two parameters in the weights also lies there in a leaf, so that neighbours are
// moved together in both.
GradientLayout GradientLayout::Of(const Weights& weights, bool by_rows) {
  GradientLayout out;
  const auto& parts = weights.parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    const Variable& parameter = weights.parameter(i);
    if (by_rows && parameter.table) {
      out.parts.push_back({out.size, 0});
      out.tables.push_back(i);
      out.widths.push_back(parameter.shape[1]);
      continue;
    }
    out.parts.push_back({out.size, parts[i].count});
    const int64_t end = i + 1 < parts.size() ? parts[i + 1].offset : weights.size();
    out.size += end - parts[i].offset;
  }
  return out;
}

std::vector<FloatValues> GradientLayout::Views(const Weights& weights, float* base) const {
  std::vector<FloatValues> views;
  for (size_t i = 0; i < parts.size(); ++i) {
    views.push_back({base + parts[i].offset, weights.parameter(i).shape});
  }
  for (const size_t i : tables) views[i].data = nullptr;
  return views;
}

}  // namespace protium
