// SPDX-License-Identifier: Apache-2.0
// Compares built-in losses with LibTorch's own expressions.
#include "train/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/poisson_nll_loss.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deep/recorded_loss.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// Rows of float labels and a weight, without features.
struct LabelRows {
  LabelRows(int64_t rows, int64_t labels, bool flags) {
    RowColumns columns{.weight = "w"};
    for (int64_t l = 0; l < labels; ++l) columns.labels.push_back({"y" + std::to_string(l)});
    schema = MakeRowSchema(columns);
    memory.resize(size_t(rows * (labels + 1)));
    DrawUniform(11, -1, 1, memory);
    for (int64_t i = 0; i < rows; ++i) {
      float* row = memory.data() + i * (labels + 1);
      for (int64_t l = 0; flags && l < labels; ++l) row[l] = row[l] > 0 ? 1 : 0;
      row[labels] = 0.5f * float(1 + i % 3);
    }
    count = rows;
  }
  Batch batch() const { return Batch(schema, memory.data(), count); }

  RowSchema schema;
  std::vector<float> memory;
  int64_t count = 0;
};

void ExpectSame(const Loss& own, const RowLosses& expression, const LabelRows& rows,
                size_t outputs) {
  std::vector<float> given(size_t(rows.count) * outputs);
  DrawUniform(5, -2, 2, given);
  std::vector<float> mine(given.size()), theirs(given.size());
  const LossSums sums = own(given, rows.batch(), mine);
  const LossSums wanted = RecordedLoss(expression)(given, rows.batch(), theirs);
  EXPECT_NEAR(sums.loss, wanted.loss, 1e-4);
  EXPECT_EQ(sums.weight, wanted.weight);
  EXPECT_THAT(mine, testing::Pointwise(testing::FloatNear(1e-6f), theirs));
}

TEST(QuantileLoss, IsThePinballLossOfEachLevel) {
  const LabelRows rows(40, 2, false);
  const auto pinball = [](const at::Tensor& outputs, const at::Tensor& labels) {
    const at::Tensor levels = at::tensor({0.1f, 0.8f});
    const at::Tensor above = labels.unsqueeze(2) - outputs.reshape({-1, 2, 2});
    return at::maximum(levels * above, (levels - 1) * above).reshape({-1, 4});
  };
  ExpectSame(QuantileLoss({0.1, 0.8}), pinball, rows, 4);
}

// The output is the logarithm of a rate.
TEST(PoissonLoss, IsLibTorchs) {
  LabelRows rows(40, 1, false);
  for (size_t i = 0; i < rows.memory.size(); i += 2) rows.memory[i] = float(i % 7);  // Counts.
  const auto poisson = [](const at::Tensor& outputs, const at::Tensor& labels) {
    return at::poisson_nll_loss(outputs, labels, true, false, 1e-8, at::Reduction::None);
  };
  ExpectSame(PoissonLoss(), poisson, rows, 1);
}

TEST(BinaryCrossEntropy, OfSeveralFlagsIsThatOfEach) {
  const LabelRows rows(40, 3, true);
  const auto plain = [](const at::Tensor& outputs, const at::Tensor& labels) {
    return at::binary_cross_entropy_with_logits(outputs, labels, {}, {}, 0);
  };
  ExpectSame(BinaryCrossEntropyLoss({}), plain, rows, 3);
  const auto smooth = [](const at::Tensor& outputs, const at::Tensor& labels) {
    return at::binary_cross_entropy_with_logits(outputs, labels * 0.8 + 0.1, {}, {}, 0);
  };
  ExpectSame(BinaryCrossEntropyLoss({.smoothing = 0.2}), smooth, rows, 3);
  const auto heavy = [](const at::Tensor& outputs, const at::Tensor& labels) {
    return at::binary_cross_entropy_with_logits(outputs, labels, {}, at::tensor({3.0f}), 0);
  };
  ExpectSame(BinaryCrossEntropyLoss({.positive_weight = 3}), heavy, rows, 3);
}

}  // namespace
}  // namespace protium
