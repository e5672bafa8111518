// SPDX-License-Identifier: Apache-2.0
// Losses computed by hand. deep/loss_test.cc compares them with LibTorch's.
#include "train/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/fault.h"
#include "catalogue/catalogue.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// A label and a weight in each row.
struct Of {
  LossSums sums;
  std::vector<float> gradient;
};
Of LossOf(const Loss& loss, std::vector<float> labels_and_weights, std::vector<float> outputs) {
  const RowSchema schema = MakeRowSchema({.labels = {{"y"}}, .weight = "w"});
  const PackedRows rows(schema, labels_and_weights.data(), int64_t(labels_and_weights.size() / 2));
  Of of;
  of.gradient.resize(outputs.size());
  of.sums = loss(outputs, rows, of.gradient);
  return of;
}

// A row of weight 1 that is 3 too high, one of weight 2 that is 0.5 too low.
Of Two(const Loss& loss) { return LossOf(loss, {1, 1, 2, 2}, {4, 1.5}); }

TEST(Loss, OfValuesIsThatOfItsFormula) {
  const Of squared = Two(SquaredLoss()), absolute = Two(AbsoluteLoss()), huber = Two(HuberLoss(1));
  EXPECT_DOUBLE_EQ(squared.sums.loss, 9 + 2 * 0.25);
  EXPECT_THAT(squared.gradient, ElementsAre(6, -2));
  EXPECT_DOUBLE_EQ(absolute.sums.loss, 3 + 2 * 0.5);
  EXPECT_THAT(absolute.gradient, ElementsAre(1, -2));
  EXPECT_DOUBLE_EQ(huber.sums.loss, 2.5 + 2 * 0.125);
  EXPECT_THAT(huber.gradient, ElementsAre(1, -1));
  EXPECT_EQ(squared.sums.weight, 3);
}

TEST(Loss, OfCountsIsThatOfItsFormula) {
  const Of poisson = LossOf(PoissonLoss(), {3, 2}, {0});
  EXPECT_DOUBLE_EQ(poisson.sums.loss, 2 * (1 - 0));
  EXPECT_THAT(poisson.gradient, ElementsAre(2 * (1 - 3)));
}

TEST(Loss, OfAmountsIsThatOfItsFormula) {
  const float log_2 = std::log(2.0f);
  const Of tweedie = LossOf(TweedieLoss(1.25), {3, 2, 0, 1}, {log_2, 0});
  const double amount = std::pow(2.0, 0.75) / 0.75 + 3 * std::pow(2.0, -0.25) / 0.25;
  EXPECT_NEAR(tweedie.sums.loss, 2 * amount + 1 / 0.75, 1e-5);
  EXPECT_NEAR(tweedie.gradient[0], 2 * (std::pow(2.0, 0.75) - 3 * std::pow(2.0, -0.25)), 1e-5);
  EXPECT_THAT(tweedie.gradient[1], FloatEq(1));
  // The output that a row is best at is the logarithm of its label.
  EXPECT_NEAR(LossOf(TweedieLoss(1.9), {5, 1}, {std::log(5.0f)}).gradient[0], 0, 1e-6);
}

TEST(Loss, OfClassesIsThatOfItsFormula) {
  const RowSchema schema = MakeRowSchema({.class_label = "class"});
  std::vector<float> memory = {std::bit_cast<float>(int32_t{2}), 1};
  const PackedRows rows(schema, memory.data(), 1);
  std::vector<float> gradient(3);
  const std::vector<float> outputs = {0, 0, 0};
  const LossSums sums = CrossEntropyLoss({1, 1, 5}, 0)(outputs, rows, gradient);
  EXPECT_NEAR(sums.loss, 5 * std::log(3.0), 1e-6);
  EXPECT_EQ(sums.weight, 5);
  const float third = 5.0f / 3;
  EXPECT_THAT(gradient, ElementsAre(FloatEq(third), FloatEq(third), FloatEq(third - 5)));
}

// The outputs of both rows by the first member, then those by the second.
TEST(Loss, OfMembersIsTheMeanOfTheirLosses) {
  const Of of = LossOf(LossOfMembers(SquaredLoss(), 2), {1, 1, 2, 2}, {4, 1.5, 1, 3});
  EXPECT_DOUBLE_EQ(of.sums.loss, ((9 + 2 * 0.25) + (0 + 2 * 1)) / 2);
  EXPECT_EQ(of.sums.weight, 3);
  EXPECT_THAT(of.gradient, ElementsAre(3, -1, 0, 2));
}

TEST(Loss, IsChosenByNameFromThoseOfTheCatalogue) {
  for (const LossRow& row : BuiltInCatalogue().losses) {
    if (row.name == "lambdarank") continue;  // Only trees rank.
    const Choice choice{row.name, *row.complete(Json::object(), "")};
    EXPECT_TRUE(MakeLoss(BuiltInLosses(), choice, {}).ok()) << row.name;
  }
  EXPECT_THAT(FaultOf(MakeLoss(BuiltInLosses(), {"hubber"}, {}).status()).fix,
              testing::HasSubstr("huber"));
}

TEST(QuantileLoss, HasNoSlopeWhereTheOutputIsTheLabelAndLetsNaNThrough) {
  const Of level = LossOf(QuantileLoss({0.5}), {3, 1}, {3});
  EXPECT_EQ(level.sums.loss, 0);
  EXPECT_THAT(level.gradient, ElementsAre(0));
  EXPECT_TRUE(std::isnan(LossOf(QuantileLoss({0.5}), {3, 1}, {NAN}).sums.loss));
}

// For classes, whose index lies in rows as int32: rows count as often as their class, in loss and
// weight.
TEST(BinaryCrossEntropy, WeighsClasses) {
  const RowSchema schema = MakeRowSchema({.class_label = "class"});
  std::vector<float> memory = {0, 1, std::bit_cast<float>(int32_t{1}), 1};
  const PackedRows rows(schema, memory.data(), 2);
  std::vector<float> gradient(2);
  const std::vector<float> outputs = {0, 0};
  const LossSums sums = BinaryCrossEntropyLoss({.of_classes = {1, 4}})(outputs, rows, gradient);
  EXPECT_NEAR(sums.loss, 5 * std::log(2.0), 1e-6);
  EXPECT_EQ(sums.weight, 5);
  EXPECT_THAT(gradient, ElementsAre(0.5f, -2.0f));
}

}  // namespace
}  // namespace protium
