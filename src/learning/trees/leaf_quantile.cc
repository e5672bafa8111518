// SPDX-License-Identifier: Apache-2.0
#include "trees/leaf_quantile.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace protium {
namespace {

// Digits of a float32's bits, most significant first.
constexpr int kDigits = 3;
constexpr int kShifts[kDigits] = {21, 10, 0};
constexpr int kBits[kDigits] = {11, 11, 10};
constexpr size_t kValues = 2048;

// As unsigned numbers these compare like the values.
uint32_t Ordered(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}
float FromOrdered(uint32_t key) {
  return std::bit_cast<float>((key >> 31) != 0 ? key & 0x7fffffffU : ~key);
}

// Collective. The power of two that makes the largest weight a number of 20 bits.
Result<double> WeightScale(std::span<const float> weights, Communicator& communicator) {
  double most = weights.empty() ? 0 : *std::ranges::max_element(weights);
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&most, 1)), Op::kMax));
  return most > 0 ? std::ldexp(1.0, 20 - std::ilogb(most)) : 1;
}

}  // namespace

Result<std::vector<float>> LeafQuantiles(std::span<const std::span<const uint32_t>> leaves,
                                         std::span<const float> residuals,
                                         std::span<const float> weights, double level,
                                         Communicator& communicator) {
  PT_LET(const double scale, WeightScale(weights, communicator));
  std::vector<uint32_t> found(leaves.size());
  std::vector<int64_t> below(leaves.size()), wanted(leaves.size());
  for (int d = 0; d < kDigits; ++d) {
    std::vector<int64_t> sums(leaves.size() * kValues);
    const int known = d == 0 ? 32 : kShifts[d - 1];
    for (size_t l = 0; l < leaves.size(); ++l) {
      for (const uint32_t row : leaves[l]) {
        const uint32_t key = Ordered(residuals[row]);
        // Only those that agree in the digits found so far.
        if (known < 32 && (key >> known) != (found[l] >> known)) continue;
        const uint32_t digit = key >> kShifts[d] & ((1U << kBits[d]) - 1);
        sums[l * kValues + digit] += int64_t(double(weights[row]) * scale);
      }
    }
    PT_TRY(communicator.AllReduce(AsBuffer(std::span(sums)), Op::kSum));
    for (size_t l = 0; l < leaves.size(); ++l) {
      const std::span<const int64_t> own(&sums[l * kValues], kValues);
      if (d == 0) {
        int64_t total = 0;
        for (const int64_t sum : own) total += sum;
        wanted[l] = std::max<int64_t>(1, int64_t(std::ceil(double(total) * level)));
      }
      uint32_t digit = 0;
      while (digit + 1 < kValues && below[l] + own[digit] < wanted[l]) below[l] += own[digit++];
      found[l] |= digit << kShifts[d];
    }
  }
  std::vector<float> out(leaves.size());
  for (size_t l = 0; l < leaves.size(); ++l) {
    const float value = FromOrdered(found[l]);
    out[l] = std::isfinite(value) ? value : 0;
  }
  return out;
}

}  // namespace protium
