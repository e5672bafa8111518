// SPDX-License-Identifier: Apache-2.0
// Compares calibration and thresholds with those of scikit-learn and SciPy; reference.py prints the
// values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/fault.h"
#include "metrics/fit_decision.h"

namespace protium {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

const std::vector<double> kLabels = {0, 0, 1, 1, 0, 1, 0, 1};
const std::vector<double> kScores = {-2, 0.5, 0.5, 3, -0.25, -0.25, 0, 1.5};
const std::vector<double> kWeights = {1, 2, 0.5, 1, 3, 1, 0.25, 2};

std::vector<Ranked> SortedRows() {
  ScoreBag bag;
  for (size_t i = 0; i < kLabels.size(); ++i) bag.Add(kScores[i], kLabels[i] > 0, kWeights[i]);
  return bag.Sorted();
}

// The temperature for rows that `add` adds to each round's sums.
double FitTemperature(const std::function<void(TemperatureFit&)>& add) {
  TemperatureFit fit;
  for (int round = 0; round < TemperatureFit::kRounds; ++round) {
    add(fit);
    fit.Narrow();
  }
  return fit.temperature();
}

TEST(Calibration, ByTemperatureOfTwoClassesMinimisesTheLogLoss) {
  const double temperature = FitTemperature([](TemperatureFit& fit) {
    for (size_t i = 0; i < kLabels.size(); ++i) {
      fit.Add({{&kLabels[i], 1}, {&kScores[i], 1}, kWeights[i]}, TargetKind::kTwoClasses);
    }
  });
  EXPECT_NEAR(temperature, 0.6809808835803512, 1e-4);
}

TEST(Calibration, ByTemperatureOfManyClassesMinimisesTheLogLoss) {
  const std::vector<double> labels = {0, 1, 2, 2, 1, 0, 3}, weights = {1, 0.5, 2, 1, 1, 3, 0.25};
  const std::vector<std::vector<double>> scores = {{2, 1, 0, -1}, {0, 3, 0, 1},   {5, 0, 1, 2},
                                                   {0, 0, 9, 1},  {1, 0.5, 2, 0}, {0.25, 0, -1, 4},
                                                   {3, 2, 1, 0}};
  const double temperature = FitTemperature([&](TemperatureFit& fit) {
    for (size_t i = 0; i < labels.size(); ++i) {
      fit.Add({{&labels[i], 1}, scores[i], weights[i]}, TargetKind::kClasses);
    }
  });
  EXPECT_NEAR(temperature, 8.597702012166724, 1e-3);
}

// Without any error no finite factor is best: the fit stops at the end of its range.
TEST(Calibration, ByTemperatureStaysWithinItsRange) {
  const double labels[] = {0, 1}, scores[] = {-1, 1};
  const double temperature = FitTemperature([&](TemperatureFit& fit) {
    for (int i : {0, 1}) {
      fit.Add({{&labels[i], 1}, {&scores[i], 1}}, TargetKind::kTwoClasses);
    }
  });
  EXPECT_GE(temperature, 0.01);
  EXPECT_LE(temperature, 0.05);
}

TEST(Calibration, ByTemperatureIsTheSameForAnyParts) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> labels, scores;
  for (int i = 0; i < 500; ++i) {
    scores.push_back(2 * normal(random));
    labels.push_back(normal(random) < scores.back() ? 1 : 0);
  }
  const auto fit_parts = [&](size_t parts) {
    TemperatureFit fit;
    for (int round = 0; round < TemperatureFit::kRounds; ++round) {
      std::vector<TemperatureFit> states(parts, fit);
      for (size_t i = 0; i < labels.size(); ++i) {
        states[(i * 7) % parts].Add({{&labels[i], 1}, {&scores[i], 1}}, TargetKind::kTwoClasses);
      }
      for (const TemperatureFit& each : states) EXPECT_TRUE(fit.Merge(each.ToJson()).ok());
      fit.Narrow();
    }
    return fit.temperature();
  };
  EXPECT_EQ(fit_parts(1), fit_parts(2));
  EXPECT_EQ(fit_parts(1), fit_parts(5));
  EXPECT_FALSE(TemperatureFit().Merge({{"slopes", Json::array()}}).ok());
}

// scikit-learn's curve reaches 0 and 1; ours stays 1 / (10.75 + 2) away from both.
TEST(Calibration, ByARisingCurvePoolsAdjacentViolators) {
  Decision decision;
  FitIsotonic(SortedRows(), decision);
  const double least = 1 / 12.75;
  EXPECT_THAT(decision.outputs, ElementsAre(-2, -0.25, 0.5, 1.5, 3));
  EXPECT_THAT(decision.probabilities,
              Pointwise(DoubleNear(1e-15), {least, 2.0 / 9, 2.0 / 9, 1 - least, 1 - least}));
  EXPECT_TRUE(decision.Check().ok());
  // Linear between two points, constant beyond the ends.
  double scores[] = {1, -7, 8};
  for (double& score : scores) decision.Calibrate({&score, 1});
  EXPECT_NEAR(1 / (1 + std::exp(-scores[0])), (2.0 / 9 + 1 - least) / 2, 1e-15);
  EXPECT_NEAR(1 / (1 + std::exp(-scores[1])), least, 1e-15);
  EXPECT_NEAR(1 / (1 + std::exp(-scores[2])), 1 - least, 1e-15);
}

TEST(Threshold, IsWhereTheMetricIsHighest) {
  for (const std::string& metric : ThresholdMetrics()) {
    EXPECT_EQ(ChooseCut(SortedRows(), metric), 1) << metric;
  }
}

TEST(Threshold, OfRowsThatCannotBeToldApartTakesTheLikelierAnswer) {
  ScoreBag bag;
  for (const bool positive : {true, true, false}) bag.Add(2, positive, 1);
  EXPECT_EQ(ChooseCut(bag.Sorted(), "accuracy"), 1);
  bag.Add(2, false, 5);
  EXPECT_EQ(ChooseCut(bag.Sorted(), "accuracy"), 3);
  EXPECT_EQ(ChooseCut({}, "accuracy"), 0);
}

// Any cut below the only score is right; f1 has a value even for one class.
TEST(Threshold, OfOneClassIsWhereAllRowsAreRight) {
  ScoreBag bag;
  bag.Add(0.25, true, 1);
  EXPECT_EQ(ChooseCut(bag.Sorted(), "f1"), -0.75);
  EXPECT_EQ(ChooseCut(bag.Sorted(), "balanced_accuracy"), -0.75);
}

TEST(Decision, ChangesNothingUnlessItIsTold) {
  double scores[] = {0.1, -3, 1e-30};
  Decision().Calibrate(scores);
  EXPECT_THAT(scores, ElementsAre(0.1, -3, 1e-30));
  EXPECT_EQ(Logit(0.5), 0);
  EXPECT_NEAR(Logit(0.8), std::log(4), 1e-15);
  EXPECT_NEAR(Decision{.cut = Logit(0.3)}.threshold(), 0.3, 1e-15);
}

TEST(Decision, RefusesWhatCannotBeApplied) {
  EXPECT_FALSE(Decision{.temperature = 0}.Check().ok());
  EXPECT_FALSE(Decision{.cut = std::nan("")}.Check().ok());
  EXPECT_FALSE((Decision{.outputs = {1, 0}, .probabilities = {0.1, 0.2}}.Check().ok()));
  EXPECT_FALSE((Decision{.outputs = {0, 1}, .probabilities = {0.2, 0.1}}.Check().ok()));
  EXPECT_FALSE((Decision{.outputs = {0}, .probabilities = {1}}.Check().ok()));
  EXPECT_FALSE((Decision{.outputs = {0}}.Check().ok()));
}

}  // namespace
}  // namespace protium
