// SPDX-License-Identifier: Apache-2.0
#include "nets/dense.h"

#include <algorithm>
#include <utility>

#include "nets/int8_weights.h"
#include "nets/product.h"

namespace protium {

Dense::Dense(const float* weight, int64_t outputs, int64_t stride,
             std::span<const InputRange> inputs)
    : outputs_(outputs), width_(RoundUpToPanels(outputs)) {
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

Dense Dense::InInt8() && {
  static_assert(kPanelWidth == kInt8Panel);
  if (!GainsByInt8(inputs_, outputs_)) return std::move(*this);
  std::vector<float> weights(size_t(inputs_ * outputs_));
  for (int64_t j = 0; j < outputs_; ++j) {
    const float* from = panels_.data() + j / kPanelWidth * inputs_ * kPanelWidth + j % kPanelWidth;
    for (int64_t k = 0; k < inputs_; ++k, from += kPanelWidth) {
      weights[size_t(k * outputs_ + j)] = *from;
    }
  }
  int8_.emplace(weights, inputs_, outputs_);
  panels_ = {};
  return std::move(*this);
}

std::vector<float> Dense::Padded(const float* outputs) const {
  std::vector<float> padded(size_t(width_), 0);
  std::copy_n(outputs, outputs_, padded.begin());
  return padded;
}

void Dense::Add(const float* in, int64_t in_stride, int64_t rows, float* sums,
                Int8Scratch& scratch) const {
  if (int8_) return int8_->Add(in, in_stride, rows, sums, scratch);
  Add(in, in_stride, rows, sums);
}

void Dense::Add(const float* in, int64_t in_stride, int64_t rows, float* sums) const {
  RunProduct({.left = in,
              .left_row = in_stride,
              .left_step = 1,
              .right = panels_.data(),
              .right_step = kPanelWidth,
              .panel_step = inputs_ * kPanelWidth,
              .panels = width_ / kPanelWidth,
              .inner = inputs_,
              .rows = rows,
              .sums = sums,
              .sums_row = width_});
}

}  // namespace protium
