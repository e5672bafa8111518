// SPDX-License-Identifier: Apache-2.0
#include "search/end_rule.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

Trial Done(int64_t number, double value) {
  return {.number = number, .value = value, .folds = {value}};
}

TrialOrder Rmse() { return {.metrics = {{"rmse"}}}; }

TEST(EndRule, EndsWithTheFirstTrialThatReachesTheTargetWhicheverEndedFirst) {
  EndRule rule({.target = 0.5}, Rmse());
  rule.Take(Done(4, 0.1));
  rule.Take(Done(3, 0.5));
  rule.Take(Done(1, 0.9));
  EXPECT_FALSE(rule.last().has_value()) << "trial 2 may reach it, too";
  rule.Take(Done(2, 0.6));
  EXPECT_EQ(rule.last(), 3);
  EXPECT_EQ(rule.why(), "target");
  rule.Take(Done(5, 0.1));
  EXPECT_EQ(rule.last(), 3);
}

TEST(EndRule, KnowsMetricsOfWhichMoreIsBetterAndTrialsThatDoNotCount) {
  EndRule rule({.target = 0.95}, {.metrics = {{"auc", {.higher_is_better = true}}}});
  rule.Take({.number = 1, .state = TrialState::kPruned, .value = 0.99});
  rule.Take({.number = 2, .value = 0.99, .violation = 0.5});
  rule.Take({.number = 3, .state = TrialState::kFailed});
  rule.Take(Done(4, 0.94));
  EXPECT_FALSE(rule.last().has_value());
  rule.Take(Done(5, 0.95));
  EXPECT_EQ(rule.last(), 5);
}

TEST(EndRule, EndsAfterTrialsThatImproveNothing) {
  EndRule rule({.patience = 2}, Rmse());
  for (const auto& [number, value] : {std::pair{1, 0.5}, {2, 0.6}, {3, 0.4}, {4, 0.4}}) {
    rule.Take(Done(number, value));
  }
  EXPECT_FALSE(rule.last().has_value());
  rule.Take({.number = 5, .state = TrialState::kFailed});
  EXPECT_EQ(rule.last(), 5);
  EXPECT_EQ(rule.why(), "patience");
}

// A trial that is new on the front adds to the hypervolume.
TEST(EndRule, CountsWhatIsNewOnAFrontAsAnImprovement) {
  EndRule rule({.patience = 1}, {.metrics = {{"a"}, {"b"}}});
  const auto take = [&](int64_t number, double a, double b) {
    Trial trial = Done(number, a);
    trial.measured = Json{{"a", a}, {"b", b}};
    rule.Take(trial);
  };
  take(1, 1, 9);
  take(2, 9, 1);
  take(3, 5, 5);
  EXPECT_FALSE(rule.last().has_value());
  take(4, 5, 6);
  EXPECT_EQ(rule.last(), 4);
}

TEST(EndRule, CountsOnlyImprovementsThatAreAsLargeAsAskedFor) {
  EndRule rule({.patience = 2, .least = 0.1}, Rmse());
  for (const auto& [number, value] : {std::pair{1, 0.5}, {2, 0.45}, {3, 0.4}, {4, 0.35}}) {
    rule.Take(Done(number, value));
  }
  EXPECT_FALSE(rule.last().has_value()) << "0.4 is better than 0.5 by 0.1";
  rule.Take(Done(5, 0.31));
  EXPECT_EQ(rule.last(), 5);
}

TEST(EndRule, CountsByTheGrowthOfTheHypervolumeWithSeveralMetrics) {
  EndRule rule({.patience = 1, .least = 0.05}, {.metrics = {{"a"}, {"b"}}});
  const auto take = [&](int64_t number, double a, double b) {
    Trial trial = Done(number, a);
    trial.measured = Json{{"a", a}, {"b", b}};
    rule.Take(trial);
  };
  take(1, 1, 10);
  take(2, 10, 1);
  take(3, 5, 5);  // The reference is (11, 11): from 10 + 10 - 1 to 19 + 25 or so.
  EXPECT_FALSE(rule.last().has_value());
  take(4, 4.9, 5.1);  // It is on the front, and hardly adds to it.
  EXPECT_EQ(rule.last(), 4);
  EXPECT_EQ(rule.why(), "patience");
}

TEST(EndRule, EndsNothingUnlessItIsAskedTo) {
  EndRule rule({}, Rmse());
  for (int64_t number = 1; number < 50; ++number) rule.Take(Done(number, 1));
  EXPECT_FALSE(rule.last().has_value());
}

}  // namespace
}  // namespace protium
