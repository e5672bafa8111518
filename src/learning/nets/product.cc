// SPDX-License-Identifier: Apache-2.0
#include "nets/product.h"

#include <algorithm>
#include <thread>

namespace protium {
namespace {

// The block of the inner dimension: the part of `right` that a tile reads then stays in the cache
// for all rows. Between blocks the sums are in `to`, without rounding.
constexpr int64_t kInnerBlock = 256;

void CopyRows(const float* from, int64_t from_step, int64_t rows, int64_t columns, float* to,
              int64_t to_step) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from + i * from_step, columns, to + i * to_step);
}

// Computes rows begin .. end - 1 of a call, one block of the inner dimension after another.
void RunRows(ProductCall call, int64_t begin, int64_t end) {
  const int64_t inner = call.inner;
  call.left += begin * call.left_row;
  call.sums += begin * call.sums_row;
  call.rows = end - begin;
  for (int64_t k = 0; k < inner; k += kInnerBlock) {
    call.inner = std::min(kInnerBlock, inner - k);
    RunProduct(call);
    call.left += call.inner * call.left_step;
    call.right += call.inner * call.right_step;
  }
}

// Starting a thread takes about 50 us, in which a core does this many multiplications.
constexpr int64_t kLeastWork = int64_t{8} << 20;

void RunInThreads(const ProductCall& call, int32_t threads) {
  const int64_t work = call.rows * call.inner * call.panels * kPanelWidth;
  const int64_t parts = std::clamp<int64_t>(work / kLeastWork, 1, threads);
  const auto end_of = [&](int64_t part) { return call.rows * part / parts; };
  std::vector<std::jthread> others;  // Joined before this returns.
  for (int64_t part = 1; part < parts; ++part) {
    others.emplace_back(
        [&call, begin = end_of(part), end = end_of(part + 1)] { RunRows(call, begin, end); });
  }
  RunRows(call, 0, end_of(1));
}

}  // namespace

std::vector<ProductLoop> LoopsOfProcessor() {
  std::vector<ProductLoop> loops;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) loops.push_back(ProductAvx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) loops.push_back(ProductAvx2);
#elif defined(__aarch64__)
  loops.push_back(ProductNeon);
#endif
  loops.push_back(ProductPlain);
  return loops;
}

void RunProduct(const ProductCall& call) {
  static const ProductLoop loop = LoopsOfProcessor().front();
  loop(call);
}

// From so many rows on a copy of `right` costs little beside the product. Rows whose length is a
// power of two share a few sets of the cache, and a block of them would push itself out of it.
constexpr int64_t kRowsWorthACopy = 32;

// Columns after the last one are zeros: their sums are computed but not used.
void Product::Arrange(const MatrixView& right, ProductCall& call) {
  call.panels = RoundUpToPanels(right.columns) / kPanelWidth;
  const bool near = right.columns == kPanelWidth || call.rows < kRowsWorthACopy;
  if (near && right.column_step == 1 && right.columns % kPanelWidth == 0) {
    call.right = right.data;
    call.right_step = right.row_step;
    call.panel_step = kPanelWidth;
    return;
  }
  call.right_step = kPanelWidth;
  call.panel_step = right.rows * kPanelWidth;
  panels_.resize(size_t(call.panels * call.panel_step));
  call.right = panels_.data();
  for (int64_t first = 0; first < right.columns; first += kPanelWidth) {
    float* to = panels_.data() + first * right.rows;
    const int64_t count = std::min(kPanelWidth, right.columns - first);
    for (int64_t k = 0; k < right.rows; ++k, to += kPanelWidth) {
      const float* from = right.data + k * right.row_step + first * right.column_step;
      for (int64_t j = 0; j < count; ++j) to[j] = from[j * right.column_step];
      std::fill(to + count, to + kPanelWidth, 0.0f);
    }
  }
}

void Product::Add(const MatrixView& left, const MatrixView& right, float* to, int64_t to_step) {
  ProductCall call = {.left = left.data,
                      .left_row = left.row_step,
                      .left_step = left.column_step,
                      .inner = left.columns,
                      .rows = left.rows,
                      .sums = to,
                      .sums_row = to_step};
  Arrange(right, call);
  // Whole panels are written, so if `to` has no room for them the sums are computed in other
  // memory.
  const int64_t width = call.panels * kPanelWidth;
  const bool beside = width != right.columns;
  if (beside) {
    sums_.assign(size_t(left.rows * width), 0);
    CopyRows(to, to_step, left.rows, right.columns, sums_.data(), width);
    call.sums = sums_.data();
    call.sums_row = width;
  }
  RunInThreads(call, threads_);
  if (beside) CopyRows(sums_.data(), width, left.rows, right.columns, to, to_step);
}

void Product::Set(const MatrixView& left, const MatrixView& right, float* to, int64_t to_step) {
  for (int64_t i = 0; i < left.rows; ++i) std::fill_n(to + i * to_step, right.columns, 0.0f);
  Add(left, right, to, to_step);
}

}  // namespace protium
