// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/fault.h"
#include "recipe/depends_on_steps.h"
#include "train/name_pattern.h"
#include "train/plateau.h"

namespace protium {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

std::vector<double> Rates(const TrainOptions& train, int64_t steps) {
  const Schedule schedule = *MakeSchedule(train, steps);
  std::vector<double> rates;
  for (int64_t step = 0; step < steps; ++step) rates.push_back(schedule(step));
  return rates;
}

TEST(Schedule, IsConstantUnlessSet) {
  EXPECT_THAT(Rates({}, 3), ElementsAre(1, 1, 1));
  EXPECT_FALSE(DependsOnSteps({}));
}

TEST(Schedule, DropsStepByStep) {
  EXPECT_THAT(Rates({.schedule = StepSchedule({.every_steps = 2, .factor = 0.5})}, 5),
              ElementsAre(1, 1, 0.5, 0.5, 0.25));
  EXPECT_THAT(Rates({.schedule = StepSchedule({.every = 0.5, .factor = 0.25})}, 4),
              ElementsAre(1, 1, 0.25, 0.25));
  EXPECT_THAT(Rates({.schedule = StepSchedule({.every = 0.1})}, 2), ElementsAre(1, 0.1));
}

TEST(Schedule, FollowsTheCosine) {
  for (double t = 0; t <= 1; t += 1.0 / 1024) {
    EXPECT_NEAR(CosineOfHalfTurns(t), std::cos(t * std::numbers::pi), 1e-15) << t;
  }
  EXPECT_EQ(CosineOfHalfTurns(0), 1);
  EXPECT_EQ(CosineOfHalfTurns(1), -1);
  const std::vector<double> rates = Rates({.schedule = Cosine({.final = 0.1})}, 4);
  const std::vector<double> expected = {1, 0.1 + 0.9 * (1 + std::sqrt(0.5)) / 2, 0.55,
                                        0.1 + 0.9 * (1 - std::sqrt(0.5)) / 2};
  EXPECT_THAT(rates, Pointwise(DoubleNear(1e-12), expected));
}

// torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1, total_steps=10) of PyTorch 2, without
// momentum: get_last_lr() before each step.
TEST(Schedule, GoesUpAndDownAsPyTorchsOneCycle) {
  const auto swing = [](double from, double to, double t) {
    return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * t));
  };
  std::vector<double> expected;
  for (int step = 0; step < 10; ++step) {
    expected.push_back(step <= 2 ? swing(0.04, 1, step / 2.0) : swing(1, 4e-6, (step - 2) / 7.0));
  }
  EXPECT_THAT(Rates({.schedule = OneCycle()}, 10), Pointwise(DoubleNear(1e-12), expected));
  EXPECT_THAT(Rates({.schedule = OneCycle()}, 1), ElementsAre(4e-6));
}

TEST(Schedule, RisesInEqualStepsFirst) {
  EXPECT_THAT(Rates({.warm_up = {.steps = 3}}, 5), ElementsAre(0.25, 0.5, 0.75, 1, 1));
  EXPECT_EQ(Rates({.warm_up = {.share = 0.5}}, 6), Rates({.warm_up = {.steps = 3}}, 6));
  TrainOptions both{.schedule = Cosine(), .warm_up = {.steps = 1}};
  const std::vector<double> rates = Rates(both, 4);
  EXPECT_EQ(rates[0], 0.5);
  EXPECT_EQ(rates[1], 1);
  EXPECT_NEAR(rates[2], 0.75, 1e-12);
  EXPECT_EQ(Rates({.warm_up = {.steps = 9}}, 2).size(), 2u);
  EXPECT_FALSE(DependsOnSteps({.warm_up = {.steps = 3}}));
  EXPECT_TRUE(DependsOnSteps({.schedule = StepSchedule({.every = 0.5})}));
  EXPECT_FALSE(DependsOnSteps({.schedule = StepSchedule({.every_steps = 5})}));
  EXPECT_TRUE(DependsOnSteps({.warm_up = {.share = 0.5}}));
  EXPECT_TRUE(DependsOnSteps(both));
}

TEST(Schedule, OfAnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(FaultOf(MakeSchedule({.schedule = {"cosin"}}, 1).status()).fix, HasSubstr("cosine"));
}

std::vector<double> RatesOn(const ReduceOnPlateauOptions& options,
                            const std::vector<double>& losses) {
  Plateau state;
  std::vector<double> rates;
  for (const double loss : losses) {
    WatchPlateau(options, {.value = loss}, state);
    rates.push_back(state.rate);
  }
  return rates;
}

// ReduceLROnPlateau of PyTorch 2, computed by its rules: it lowers the rate after more than
// `patience` epochs that were not better by the threshold.
TEST(Plateau, DropsTheRateOnAPlateau) {
  EXPECT_THAT(RatesOn({.factor = 0.5, .patience = 1}, {1, 1, 1, 1, 1, 0.5, 0.5}),
              ElementsAre(1, 1, 0.5, 0.5, 0.25, 0.25, 0.25));
  EXPECT_THAT(RatesOn({.factor = 0.5, .patience = 0, .cooldown = 2}, {1, 1, 1, 1, 1}),
              ElementsAre(1, 0.5, 0.5, 0.5, 0.25));
  EXPECT_THAT(RatesOn({.factor = 0.1, .patience = 0, .final = 0.05}, {1, 1, 1}),
              ElementsAre(1, 0.1, 0.05));
  EXPECT_THAT(RatesOn({.factor = 0.5, .patience = 0, .least = 0.1}, {1, 0.95, 0.8}),
              ElementsAre(1, 0.5, 0.5));
}

TEST(Plateau, EndsTrainingThatGetsNoBetter) {
  const EarlyStoppingOptions options{.patience = 2, .least = 0.1};
  Plateau state;
  std::vector<bool> over;
  for (const double auc : {0.5, 0.7, 0.75, 0.71}) {
    WatchStopping(options, {.value = auc, .higher_is_better = true}, state);
    over.push_back(IsOver(options, state));
  }
  EXPECT_THAT(over, ElementsAre(false, false, false, true));
  EXPECT_EQ(state.best, 0.7);
  EXPECT_FALSE(IsOver({}, state));
  Plateau never;
  WatchStopping(options, {}, never);
  WatchStopping(options, {}, never);
  EXPECT_TRUE(IsOver(options, never));
}

TEST(NamePattern, TakesAStarForAnything) {
  EXPECT_TRUE(FitsPattern("embedding.*", "embedding.0.weight"));
  EXPECT_TRUE(FitsPattern("*.bias", "dense.0.bias"));
  EXPECT_TRUE(FitsPattern("a*b*c", "a.b.b.c"));
  EXPECT_TRUE(FitsPattern("*", ""));
  EXPECT_TRUE(FitsPattern("x", "x"));
  EXPECT_FALSE(FitsPattern("x", "xy"));
  EXPECT_FALSE(FitsPattern("a*b*c", "a.b.b"));
  EXPECT_FALSE(FitsPattern("", "x"));
}

}  // namespace
}  // namespace protium
