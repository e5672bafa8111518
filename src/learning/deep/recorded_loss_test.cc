// SPDX-License-Identifier: Apache-2.0
#include "deep/recorded_loss.h"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "catalogue/catalogue.h"
#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "deep/torch_tasks.h"
#include "deep/torch_wall.h"
#include "tensor/testing/synthetic_rows.h"

namespace protium {
namespace {

struct Result3 {
  LossSums sums;
  std::vector<float> gradient;
};

Result3 Of(const Loss& loss, const BatchRows& rows, const std::vector<float>& outputs) {
  Result3 out;
  out.gradient.resize(outputs.size());
  out.sums = loss(outputs, rows, out.gradient);
  return out;
}

const SyntheticRows& FiftyRows() {
  static const SyntheticRows rows({.rows = 50, .numeric = 6, .seed = 8});
  return rows;
}

TEST(RecordedLoss, GivesWhatTheBuiltInLossGives) {
  std::vector<float> outputs(50);
  DrawUniform(3, -2, 2, outputs);
  const Loss own = RecordedLoss([](const at::Tensor& outputs, const at::Tensor& labels) {
    const at::Tensor d = outputs - labels;
    return d * d;
  });
  const Result3 mine = Of(own, FiftyRows().batch(), outputs);
  const Result3 house = Of(SquaredLoss(), FiftyRows().batch(), outputs);
  EXPECT_EQ(mine.sums.loss, house.sums.loss);
  EXPECT_EQ(mine.sums.weight, house.sums.weight);
  EXPECT_EQ(mine.gradient, house.gradient);
  EXPECT_EQ(Of(own, FiftyRows().batch(0, 0), {}).sums.weight, 0);
}

TEST(RecordedLoss, CountsRowsAsOftenAsTheirClass) {
  const RowSchema schema = MakeRowSchema({.class_label = "class"});
  const int64_t floats = schema.width() / 4;
  std::vector<float> memory(size_t(3 * floats));
  for (int i = 0; i < 3; ++i) {
    float* row = memory.data() + i * floats;
    *reinterpret_cast<int32_t*>(row + schema.Find(kLabelField)->offset / 4) = i;
    row[schema.Find(kWeightField)->offset / 4] = 1;
  }
  const Batch rows(schema, memory.data(), 3);
  const std::vector<float> outputs = {1, 2, 3, 0, 0, 1, -1, 0, 2};
  const Loss own = RecordedLoss(
      [](const at::Tensor& outputs, const at::Tensor& labels) {
        return -outputs.log_softmax(1).gather(1, labels.unsqueeze(1));
      },
      {1, 2, 4});
  const Result3 mine = Of(own, rows, outputs);
  const Result3 house = Of(CrossEntropyLoss({1, 2, 4}, 0), rows, outputs);
  EXPECT_NEAR(mine.sums.loss, house.sums.loss, 1e-5);
  EXPECT_EQ(mine.sums.weight, 7);
  EXPECT_THAT(mine.gradient, testing::Pointwise(testing::FloatNear(1e-5f), house.gradient));
}

void ExpectThrow(const RowLosses& losses, const std::string& says) {
  std::vector<float> outputs(50), gradient(50);
  try {
    RecordedLoss(losses)(outputs, FiftyRows().batch(), gradient);
    FAIL() << "it did not throw";
  } catch (const KnownFailure& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(says));
  }
}

TEST(RecordedLoss, RefusesWhatIsNoLossOfRows) {
  using at::Tensor;
  ExpectThrow([](const Tensor& out, const Tensor& label) { return (out - label).square().mean(); },
              "without a sum or mean");
  ExpectThrow([](const Tensor&, const Tensor& label) { return label.square(); },
              "does not depend on the outputs");
  ExpectThrow([](const Tensor& out, const Tensor&) { return out.to(at::kDouble); }, "not float32");
}

TEST(Losses, AreAllThatTheCatalogueLists) {
  const TaskRows rows = TorchRows();
  for (const LossRow& row : BuiltInCatalogue().losses) {
    if (row.name == "lambdarank") continue;  // Only trees rank.
    EXPECT_TRUE(MakeLoss(rows.losses, {row.name}, {}).ok()) << row.name;
  }
  const Fault loss = FaultOf(MakeLoss(rows.losses, {"hubber"}, {}).status());
  EXPECT_EQ(loss.what, "unknown loss \"hubber\"");
  EXPECT_THAT(loss.fix, testing::HasSubstr("huber"));
}

}  // namespace
}  // namespace protium
