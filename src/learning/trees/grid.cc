// SPDX-License-Identifier: Apache-2.0
#include "trees/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/fault.h"
#include "base/splitmix.h"

namespace protium {
namespace {

// One count for each exponent of a float32; 0 is that of zero and of values below 2^-126.
constexpr size_t kExponents = 256;
constexpr int kClipExponents = 12;

int ExponentOf(float x) { return int(std::bit_cast<uint32_t>(x) >> 23 & 0xff); }

struct Sizes {
  int largest = 0;  // Exponent; 0: all values are 0.
  int64_t clipped = 0;
};

// The largest exponent that is kept.
Sizes ChooseSize(std::span<const int64_t> counts) {
  int64_t above_zero = 0;
  Sizes out;
  for (size_t e = 1; e < kExponents; ++e) {
    above_zero += counts[e];
    if (counts[e] > 0) out.largest = int(e);
  }
  int64_t seen = 0;
  int common = 0;  // That of the 99th percentile.
  while (common + 1 < int(kExponents) && seen * 100 < above_zero * 99) {
    seen += counts[size_t(++common)];
  }
  const int bound = std::min(out.largest, common + kClipExponents);
  for (int e = bound + 1; e <= out.largest; ++e) out.clipped += counts[size_t(e)];
  out.largest = bound;
  return out;
}

// The power of two that makes the values below 2^(exponent + 1) numbers of 15 bits.
double ScaleOf(int exponent) {
  return exponent == 0 ? 1 : std::ldexp(1.0, kGridBits - 1 - (exponent - 127));
}
// The largest number of such a size that rounding up cannot take beyond the 15 bits.
float MostOf(int exponent) {
  const double scale = ScaleOf(exponent);
  return float(((1 << kGridBits) - 1) / scale);
}

}  // namespace

Result<Grid> MakeGrid(std::span<const GradientPair> pairs, Communicator& communicator) {
  std::array<int64_t, 2 * kExponents> counts{};
  for (const GradientPair& pair : pairs) {
    counts[size_t(ExponentOf(pair.gradient))] += 1;
    counts[kExponents + size_t(ExponentOf(pair.hessian))] += 1;
  }
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(counts)), Op::kSum));
  const int64_t infinite = counts[kExponents - 1] + counts[2 * kExponents - 1];
  if (infinite > 0) {
    return Fail({.exit = Exit::kFailed,
                 .what = "the gradient of the loss is not finite",
                 .why = "labels or weights are too large for this loss",
                 .fix = "scale the label, or leave such rows out"});
  }
  const Sizes gradient = ChooseSize(std::span(counts).first(kExponents));
  const Sizes hessian = ChooseSize(std::span(counts).last(kExponents));
  return Grid{.gradient = ScaleOf(gradient.largest),
              .hessian = ScaleOf(hessian.largest),
              .most_gradient = MostOf(gradient.largest),
              .most_hessian = MostOf(hessian.largest),
              .clipped = gradient.clipped};
}

void RoundToGrid(std::span<const GradientPair> pairs, std::span<const uint64_t> keys, uint64_t draw,
                 const Grid& grid, std::span<uint64_t> words) {
  // Above all sizes, so that the conversion to a whole number rounds down.
  constexpr double kAbove = 1 << kGridBits;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const uint64_t u = DrawOfRow(draw, keys[i]);
    const double up_gradient = double(int64_t(u >> 40)) * 0x1p-24;
    const double up_hessian = double(int64_t(u >> 8 & 0xffffff)) * 0x1p-24;
    const double g = std::clamp(pairs[i].gradient, -grid.most_gradient, grid.most_gradient);
    const double h = std::min(pairs[i].hessian, grid.most_hessian);
    const auto gradient = int64_t(g * grid.gradient + up_gradient + kAbove) - int64_t(kAbove);
    const auto hessian = int64_t(h * grid.hessian + up_hessian);
    words[i] = (uint64_t(gradient) << 32) + uint64_t(hessian);
  }
}

uint64_t DrawOfTree(int64_t seed, int64_t tree) {
  return SplitMix(SplitMix(uint64_t(seed) + kSplitMixStep) + uint64_t(tree) * kSplitMixStep);
}

uint64_t DrawOfRow(uint64_t draw, uint64_t key) { return SplitMix(key ^ draw); }

}  // namespace protium
