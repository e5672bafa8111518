// SPDX-License-Identifier: Apache-2.0
#include "nets/weight_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/half.h"
#include "nets/int8_weights.h"
#include "tensor/guard.h"

namespace protium {
namespace {

// The largest number without its sign; NaN where one is not finite.
float MostOf(std::span<const float> numbers) {
  float most = 0;
  for (const float each : numbers) {
    if (!std::isfinite(each)) return std::numeric_limits<float>::quiet_NaN();
    most = std::max(most, std::abs(each));
  }
  return most;
}

void RoundToSlices(std::span<float> numbers, int64_t slices) {
  const Int8Slices rounded = SlicesOf(numbers, slices);
  const size_t width = numbers.size() / size_t(slices);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = float(rounded.values[i]) * rounded.scales[i / width];
  }
}

}  // namespace

Int8Slices SlicesOf(std::span<const float> numbers, int64_t slices) {
  Int8Slices out{.values = std::vector<int8_t>(numbers.size(), 0), .scales = {}};
  const size_t width = slices > 0 ? numbers.size() / size_t(slices) : 0;
  for (size_t s = 0; s < size_t(slices); ++s) {
    const std::span<const float> slice = numbers.subspan(s * width, width);
    const float most = MostOf(slice);
    out.scales.push_back(most / kMostInt8);
    if (!(most > 0)) continue;
    for (size_t i = 0; i < width; ++i) out.values[s * width + i] = Int8Level(slice[i], most);
  }
  return out;
}

void RoundNumbers(std::span<float> numbers, const std::vector<int64_t>& shape,
                  WeightPrecision precision) {
  if (!IsRounded(shape) || numbers.empty()) return;
  if (precision == WeightPrecision::kInt8) RoundToSlices(numbers, shape.front());
  if (precision != WeightPrecision::kBfloat16) return;
  for (float& each : numbers) each = Widen(NarrowToBfloat16(each));
}

Status RoundWeights(Weights& weights, WeightPrecision precision) {
  for (size_t i = 0; i < weights.parts().size(); ++i) {
    const Weights::Part& part = weights.parts()[i];
    RoundNumbers(weights.parameters().subspan(size_t(part.offset), size_t(part.count)),
                 weights.parameter(i).shape, precision);
  }
  return Guard("sending weights", [&] { weights.Upload(); });
}

}  // namespace protium
