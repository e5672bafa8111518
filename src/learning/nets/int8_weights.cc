// SPDX-License-Identifier: Apache-2.0
#include "nets/int8_weights.h"

#include <algorithm>
#include <cmath>

#include "nets/int8_panels.h"

namespace protium {
namespace {

// With fewer, finding a row's scale takes longer than the products.
constexpr int64_t kLeastInt8 = 16;

}  // namespace

int8_t Int8Level(float weight, float most) {
  return int8_t(std::lround(double(weight) / double(most) * double(kMostInt8)));
}

Int8Weights RoundToInt8(std::span<const float> weights, int64_t inputs, int64_t outputs) {
  Int8Weights out{.inputs = inputs,
                  .outputs = outputs,
                  .values = std::vector<int8_t>(weights.size(), 0),
                  .scales = std::vector<float>(size_t(outputs), 0),
                  .totals = std::vector<int32_t>(size_t(outputs), 0)};
  for (int64_t j = 0; j < outputs; ++j) {
    float most = 0;
    for (int64_t k = 0; k < inputs; ++k) {
      most = std::max(most, std::abs(weights[size_t(k * outputs + j)]));
    }
    if (!(most > 0)) continue;
    out.scales[size_t(j)] = most / kMostInt8;
    for (int64_t k = 0; k < inputs; ++k) {
      const int8_t rounded = Int8Level(weights[size_t(k * outputs + j)], most);
      out.values[size_t(k * outputs + j)] = rounded;
      out.totals[size_t(j)] += rounded;
    }
  }
  return out;
}

bool GainsByInt8(int64_t inputs, int64_t outputs) {
  return inputs >= kLeastInt8 && outputs >= kLeastInt8 && inputs <= Int8Panels::kMostInputs;
}

}  // namespace protium
