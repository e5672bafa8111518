// SPDX-License-Identifier: Apache-2.0
#include "nets/int8_panels.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/clones.h"
#include "nets/int8_weights.h"

namespace protium {
namespace {

int64_t RoundedUp(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

// What a row's values are divided by, and what 0 becomes.
struct RowScale {
  float scale = 0;
  int32_t zero = 0;
};

// The range of a row and 0; NaN counts as beyond infinity.
struct Range {
  float low = 0;
  float high = 0;
};

// As whole numbers, which have an order that compilers may change: the bits of the largest float
// are the largest signed ones, and those of the smallest negative float the largest unsigned ones.
PT_CLONES Range RangeOf(const float* in, int64_t count) {
  int32_t high = 0;
  uint32_t low = 0;
  for (int64_t k = 0; k < count; ++k) {
    const auto bits = std::bit_cast<int32_t>(in[k]);
    high = bits > high ? bits : high;
    low = uint32_t(bits) > low ? uint32_t(bits) : low;
  }
  constexpr uint32_t kNegative = 0x80000000;
  return {low < kNegative ? 0.0f : std::bit_cast<float>(low), std::bit_cast<float>(high)};
}

PT_CLONES void Quantise(const float* in, int64_t count, float factor, float zero, uint8_t* out) {
  for (int64_t k = 0; k < count; ++k) {
    float x = in[k] * factor + zero;
    x = x > 0 ? x : 0;  // NaN becomes 0.
    x = x < kMostInt8 ? x : kMostInt8;
    out[k] = uint8_t(int32_t(x + 0.5f));
  }
}

RowScale QuantiseRow(const float* in, int64_t count, uint8_t* out) {
  const Range range = RangeOf(in, count);
  const float width = range.high - range.low;
  if (!(width <= std::numeric_limits<float>::max())) {
    std::fill_n(out, count, uint8_t{0});
    return {std::numeric_limits<float>::quiet_NaN(), 0};
  }
  const float factor = width > kLeastInt8Width ? kMostInt8 / width : 0;
  const auto zero = int32_t(-range.low * factor + 0.5f);
  Quantise(in, count, factor, float(zero), out);
  return {factor > 0 ? width / kMostInt8 : 0, zero};
}

// sums[j] += (products[j] - zero * totals[j]) * scale * scales[j]
PT_CLONES void AddScaled(const int32_t* products, const int32_t* totals, const float* scales,
                         int64_t width, RowScale row, float* sums) {
  const float scale = row.scale;
  const int32_t zero = row.zero;
  for (int64_t j = 0; j < width; ++j) {
    sums[j] += float(products[j] - zero * totals[j]) * (scale * scales[j]);
  }
}

void RunInt8(const Int8Call& call) {
  static const Int8Loop loop = Int8LoopsOfProcessor().front();
  loop(call);
}

}  // namespace

std::vector<Int8Loop> Int8LoopsOfProcessor() {
  std::vector<Int8Loop> loops;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni")) {
    loops.push_back(Int8Avx512);
  }
  if (__builtin_cpu_supports("avx2")) loops.push_back(Int8Avx2);
#endif
  loops.push_back(Int8Plain);
  return loops;
}

Int8Panels::Int8Panels(std::span<const float> weights, int64_t inputs, int64_t outputs)
    : inputs_(inputs),
      groups_(RoundedUp(inputs, kInt8Group) / kInt8Group),
      panels_count_(RoundedUp(outputs, kInt8Panel) / kInt8Panel),
      panels_(size_t(panels_count_ * groups_ * kInt8Group * kInt8Panel), 0),
      scales_(size_t(panels_count_ * kInt8Panel), 0),
      totals_(scales_.size(), 0) {
  const Int8Weights rounded = RoundToInt8(weights, inputs, outputs);
  std::ranges::copy(rounded.scales, scales_.begin());
  std::ranges::copy(rounded.totals, totals_.begin());
  for (int64_t j = 0; j < outputs; ++j) {
    int8_t* const panel = panels_.data() + j / kInt8Panel * groups_ * kInt8Group * kInt8Panel;
    for (int64_t k = 0; k < inputs; ++k) {
      panel[(k / kInt8Group * kInt8Panel + j % kInt8Panel) * kInt8Group + k % kInt8Group] =
          rounded.values[size_t(k * outputs + j)];
    }
  }
}

void Int8Panels::Add(const float* in, int64_t in_stride, int64_t rows, float* sums,
                     Int8Scratch& scratch) const {
  const int64_t left_row = groups_ * kInt8Group, width = panels_count_ * kInt8Panel;
  scratch.rows.resize(size_t(rows * left_row));
  scratch.sums.resize(size_t(rows * width));
  std::vector<RowScale> scales(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    uint8_t* const row = scratch.rows.data() + i * left_row;
    scales[size_t(i)] = QuantiseRow(in + i * in_stride, inputs_, row);
    std::fill(row + inputs_, row + left_row, uint8_t{0});
  }
  RunInt8({.left = scratch.rows.data(),
           .left_row = left_row,
           .right = panels_.data(),
           .panel_step = groups_ * kInt8Group * kInt8Panel,
           .panels = panels_count_,
           .groups = groups_,
           .rows = rows,
           .sums = scratch.sums.data(),
           .sums_row = width});
  for (int64_t i = 0; i < rows; ++i) {
    AddScaled(scratch.sums.data() + i * width, totals_.data(), scales_.data(), width,
              scales[size_t(i)], sums + i * width);
  }
}

}  // namespace protium
