// SPDX-License-Identifier: Apache-2.0
#include "pipeline/objective.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LossRow LossNamed(const std::string& name) {
  for (LossRow& row : BuiltInCatalogue().losses) {
    if (row.name == name) return std::move(row);
  }
  return {};
}

// What is learned from these numbers as labels.
Result<Learned> LearnFrom(const EstimatorOptions& options, const std::vector<double>& labels) {
  LossRow loss = LossNamed(options.loss.name);
  loss.kind = KindOf(options, loss);
  arrow::DoubleBuilder builder;
  PT_TRY(builder.AppendValues(labels));
  PT_LET(const auto values, builder.Finish());
  std::vector<State> states;
  for (const Need& need : LabelNeeds(options, loss)) {
    states.push_back(MakeState(need.kind));
    const auto add = [&](auto& state) -> Status {
      if constexpr (requires { state.Add(*values); }) return state.Add(*values);
      return Status::Invalid("a state of one column is wanted");
    };
    PT_TRY(std::visit(add, states.back()));
  }
  return LearnLabel(options, loss, states, *arrow::float64());
}

Result<Learned> LearnTexts(const EstimatorOptions& options,
                           const std::vector<std::vector<std::string>>& labels) {
  LossRow loss = LossNamed(options.loss.name);
  loss.kind = KindOf(options, loss);
  std::vector<State> states;
  for (const std::vector<std::string>& texts : labels) {
    arrow::StringBuilder builder;
    PT_TRY(builder.AppendValues(texts));
    PT_LET(const auto values, builder.Finish());
    TextCounts counts;
    PT_TRY(counts.Add(*values));
    states.push_back(std::move(counts));
  }
  return LearnLabel(options, loss, states, *arrow::utf8());
}

TEST(Objective, ScalesLogarithmsAndKeepsTheMeanAsBaseline) {
  const EstimatorOptions options{.label = "sales", .label_scale = Scale::kLog1p};
  const Learned learned = *LearnFrom(options, {0, std::expm1(2), std::expm1(4)});
  const ScaledLabel& label = learned.objective.labels[0];
  EXPECT_TRUE(label.log1p);
  EXPECT_NEAR(label.mean, 2, 1e-15);
  EXPECT_NEAR(label.deviation, 2, 1e-15);
  EXPECT_THAT(learned.baseline->values,
              ElementsAre(testing::DoubleNear((std::expm1(2) + std::expm1(4)) / 3, 1e-12)));
}

TEST(Objective, RefusesLabelsWithoutALogarithm) {
  const EstimatorOptions options{.label = "sales", .label_scale = Scale::kLog1p};
  const Fault fault = FaultOf(LearnFrom(options, {1, -1, -4, 2}).status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "label \"sales\" is -1 or less in 2 training rows, down to -4.0");
  EXPECT_THAT(fault.fix, HasSubstr("WHERE sales > -1"));
}

TEST(Objective, ComparesQuantilesWithThoseOfTheLabel) {
  const EstimatorOptions options{
      .label = "y", .label_scale = Scale::kNone, .loss = Quantile({.levels = {0.25, 0.75}})};
  const Learned learned = *LearnFrom(options, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(learned.objective.kind, TargetKind::kQuantiles);
  EXPECT_EQ(learned.objective.outputs(), 2);
  EXPECT_THAT(learned.objective.levels, ElementsAre(0.25, 0.75));
  EXPECT_THAT(learned.baseline->values, ElementsAre(2, 6));
}

TEST(Objective, NamesAColumnPerLevelAndLabel) {
  EXPECT_EQ(LevelName(0.1), "q10");
  EXPECT_EQ(LevelName(0.07), "q7");
  EXPECT_EQ(LevelName(0.025), "q2_5");
  const EstimatorOptions quantiles{.labels = {"a", "b"}, .loss = Quantile({.levels = {0.05, 0.5}})};
  std::vector<std::string> names;
  for (const auto& field : PredictedFields(quantiles, TargetKind::kQuantiles, arrow::float64())) {
    names.push_back(field->name());
  }
  EXPECT_THAT(names, ElementsAre("prediction_a_q5", "prediction_a_q50", "prediction_b_q5",
                                 "prediction_b_q50"));
  const EstimatorOptions flags{.labels = {"a"}, .loss = BinaryCrossEntropy()};
  const auto pair = PredictedFields(flags, TargetKind::kFlags, arrow::boolean());
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0]->ToString(), "prediction_a: bool");
  EXPECT_EQ(pair[1]->ToString(), "probability_a: double");
}

TEST(Objective, OfFlagsHasTheShareOfYes) {
  const EstimatorOptions options{
      .labels = {"a", "b"}, .loss = BinaryCrossEntropy(), .threshold = {.at = 0.2}};
  const Learned learned = *LearnTexts(
      options, {{"true", "false", "false", "false"}, {"true", "true", "false", "true"}});
  EXPECT_EQ(learned.objective.kind, TargetKind::kFlags);
  EXPECT_EQ(learned.objective.outputs(), 2);
  EXPECT_NEAR(learned.objective.decision.threshold(), 0.2, 1e-15);
  EXPECT_THAT(learned.baseline->shares, ElementsAre(0.25, 0.75));
  const Fault fault = FaultOf(LearnTexts(options, {{"true"}, {"true", "false"}}).status());
  EXPECT_EQ(fault.what, "label \"a\" is true in all training rows, so there is nothing to learn");
}

TEST(Objective, WeighsTwoClassesToo) {
  const EstimatorOptions options{.label = "y",
                                 .loss = BinaryCrossEntropy({.class_weights = "balanced"})};
  const Learned learned = *LearnTexts(options, {{"no", "no", "no", "yes"}});
  EXPECT_THAT(learned.objective.class_weights, ElementsAre(4.0 / 6, 2.0));
}

TEST(Objective, LearnsFlagsFromBooleansAlone) {
  EXPECT_TRUE(CheckLabelType(TargetKind::kFlags, *arrow::boolean()).ok());
  EXPECT_FALSE(CheckLabelType(TargetKind::kFlags, *arrow::int64()).ok());
  EXPECT_TRUE(CheckLabelType(TargetKind::kQuantiles, *arrow::int64()).ok());
  EXPECT_FALSE(CheckLabelType(TargetKind::kQuantiles, *arrow::utf8()).ok());
}

}  // namespace
}  // namespace protium
