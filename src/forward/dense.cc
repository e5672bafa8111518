// SPDX-License-Identifier: Apache-2.0
#include "forward/dense.h"

#include <algorithm>

#include "forward/dense_loops.h"

namespace protium {
namespace {

using Loop = void (*)(const DenseCall&);

Loop LoopOfProcessor() {
  if (__builtin_cpu_supports("avx512f")) return DenseAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return DenseAvx2;
  return DensePlain;
}

}  // namespace

Dense::Dense(const float* weight, int64_t outputs, int64_t stride,
             std::span<const InputRange> inputs)
    : outputs_(outputs), width_((outputs + kPanelWidth - 1) / kPanelWidth * kPanelWidth) {
  for (const InputRange& each : inputs) inputs_ += each.end - each.begin;
  panels_.assign(size_t(width_ * inputs_), 0);
  for (int64_t j = 0; j < outputs; ++j) {
    float* to = panels_.data() + j / kPanelWidth * inputs_ * kPanelWidth + j % kPanelWidth;
    for (const InputRange& each : inputs) {
      for (int64_t k = each.begin; k < each.end; ++k, to += kPanelWidth) {
        *to = weight[j * stride + k];
      }
    }
  }
}

std::vector<float> Dense::Padded(const float* outputs) const {
  std::vector<float> padded(size_t(width_), 0);
  std::copy_n(outputs, outputs_, padded.begin());
  return padded;
}

void Dense::Add(const float* in, int64_t in_stride, int64_t rows, float* sums) const {
  static const Loop loop = LoopOfProcessor();
  loop({.panels = panels_.data(),
        .panel_count = width_ / kPanelWidth,
        .inputs = inputs_,
        .in = in,
        .in_stride = in_stride,
        .rows = rows,
        .sums = sums,
        .sums_stride = width_});
}

}  // namespace protium
