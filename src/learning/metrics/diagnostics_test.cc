// SPDX-License-Identifier: Apache-2.0
#include "metrics/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace protium {
namespace {

struct Case {
  std::vector<double> labels;
  std::vector<double> scores;
};

const std::vector<double> kLevels = {0.1, 0.9};

Diagnostics StateOf(TargetKind kind, const std::vector<Case>& rows) {
  Diagnostics state(kind);
  const bool quantiles = kind == TargetKind::kQuantiles;
  for (const Case& row : rows) {
    state.Add({.labels = row.labels,
               .scores = row.scores,
               .levels = quantiles ? std::span(kLevels) : std::span<const double>()});
  }
  return state;
}

Json DrawnLabel(TargetKind kind, const std::vector<Case>& rows) {
  return StateOf(kind, rows).Drawn()["labels"][0];
}

std::vector<Case> RandomCases(TargetKind kind, int count) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Case> rows;
  for (int i = 0; i < count; ++i) {
    Case row{{normal(random)}, {normal(random), 1.5}};
    if (kind == TargetKind::kClasses) row = {{double(i % 3)}, {normal(random), normal(random), 0}};
    if (kind == TargetKind::kTwoClasses) row = {{double(i % 2)}, {normal(random) + i % 2}};
    if (kind == TargetKind::kFlags) row = {{double(i % 2), 1}, {normal(random), 2}};
    if (kind == TargetKind::kValues || kind == TargetKind::kRelevance) row.scores.pop_back();
    rows.push_back(row);
  }
  return rows;
}

TEST(Diagnostics, DoNotDependOnOrderOrParts) {
  for (const TargetKind kind :
       {TargetKind::kValues, TargetKind::kQuantiles, TargetKind::kFlags, TargetKind::kTwoClasses,
        TargetKind::kClasses, TargetKind::kRelevance}) {
    std::vector<Case> rows = RandomCases(kind, 4000);
    const Diagnostics all = StateOf(kind, rows);
    std::shuffle(rows.begin(), rows.end(), std::mt19937_64(1));
    Diagnostics merged(kind);
    for (size_t part = 0; part < 3; ++part) {
      std::vector<Case> mine;
      for (size_t i = part; i < rows.size(); i += 3) mine.push_back(rows[i]);
      ASSERT_TRUE(merged.Merge(*ParseJson(Dump(StateOf(kind, mine).ToJson()))).ok());
    }
    EXPECT_EQ(merged.ToJson(), all.ToJson());
    EXPECT_EQ(Diagnostics::FromJson(all.ToJson())->Drawn(), all.Drawn());
    EXPECT_LT(Dump(all.Drawn()).size(), 40'000u);
  }
}

TEST(Diagnostics, CountWhatWasTakenForWhat) {
  const Json two = DrawnLabel(TargetKind::kTwoClasses, {{{0}, {-1}}, {{1}, {2}}, {{1}, {-3}}});
  EXPECT_EQ(Dump(two["confusion"]), "[[1,0],[1,1]]");
  const Json many =
      DrawnLabel(TargetKind::kClasses, {{{2}, {5, 0, 0}}, {{0}, {5, 0, 0}}, {{2}, {0, 0, 1}}});
  EXPECT_EQ(Dump(many["confusion"]), "[[1,0,0],[0,0,0],[1,0,1]]");
  EXPECT_FALSE(many.contains("roc"));
  const Case wide{{7}, std::vector<double>(10'000)};
  EXPECT_FALSE(DrawnLabel(TargetKind::kClasses, {wide}).contains("confusion"));
}

TEST(Diagnostics, DrawCurvesThroughEachScore) {
  const Json two = DrawnLabel(TargetKind::kTwoClasses, {{{0}, {-1}}, {{1}, {2}}, {{0}, {2}}});
  EXPECT_EQ(Dump(two["roc"]), "[[0.0,0.0],[0.5,1.0],[1.0,1.0]]");
  EXPECT_EQ(two["precision_recall"][0], Json({1.0, 0.5}));
  EXPECT_TRUE(DrawnLabel(TargetKind::kTwoClasses, {{{1}, {2}}})["roc"].empty());
  const Json long_one =
      DrawnLabel(TargetKind::kTwoClasses, RandomCases(TargetKind::kTwoClasses, 9000));
  EXPECT_LE(long_one["roc"].size(), 200u);
  EXPECT_EQ(long_one["roc"].back(), Json({1.0, 1.0}));
}

TEST(Diagnostics, CompareProbabilitiesWithShares) {
  const Json two = DrawnLabel(TargetKind::kTwoClasses, {{{0}, {0}}, {{1}, {0}}, {{1}, {4}}});
  ASSERT_EQ(two["calibration"].size(), 2u);
  EXPECT_EQ(two["calibration"][0], Json({0.5, 0.5, 2.0}));
  EXPECT_NEAR(two["calibration"][1][0].get<double>(), 1 / (1 + std::exp(-4)), 1e-15);
}

TEST(Diagnostics, SampleNumbersAndCountResiduals) {
  const Json drawn = DrawnLabel(TargetKind::kValues, RandomCases(TargetKind::kValues, 5000));
  EXPECT_EQ(drawn["predicted_actual"].size(), 400u);
  int64_t counted = 0;
  for (const Json& each : drawn["residuals"]["counts"]) counted += each.get<int64_t>();
  EXPECT_EQ(counted, int64_t(PairSample::kMostPairs));
  // The difference of two normal variables has deviation 1.41.
  EXPECT_NEAR(drawn["residuals"]["low"].get<double>(), -3.3, 0.5);
  EXPECT_FALSE(DrawnLabel(TargetKind::kRelevance, {{{1}, {3}}, {{2}, {4}}}).contains("residuals"));
  const Json constant = DrawnLabel(TargetKind::kValues, {{{1}, {1}}, {{2}, {2}}, {{NAN}, {0}}});
  EXPECT_EQ(constant["residuals"]["counts"][0], 2);
}

TEST(Diagnostics, SayHowManyLabelsLieBelowEachQuantile) {
  const Json drawn =
      DrawnLabel(TargetKind::kQuantiles, {{{1}, {0, 3}}, {{1}, {1, 3}}, {{4}, {0, 3}}});
  EXPECT_EQ(drawn["below"][0], Json({0.1, 1.0 / 3}));
  EXPECT_EQ(drawn["below"][1], Json({0.9, 2.0 / 3}));
}

TEST(Diagnostics, OfNoRowsAreEmptyAndDamageIsRefused) {
  EXPECT_TRUE(Diagnostics(TargetKind::kValues).Drawn().empty());
  const Json two = StateOf(TargetKind::kTwoClasses, {{{1}, {2}}}).ToJson();
  EXPECT_FALSE(Diagnostics(TargetKind::kValues).Merge(two).ok());
  Json damaged = two;
  damaged["labels"][0]["confusion"][0]["label"] = -1;
  EXPECT_FALSE(Diagnostics::FromJson(damaged).ok());
  damaged["labels"][0]["confusion"][0]["label"] = 2;
  EXPECT_FALSE(Diagnostics::FromJson(damaged).ok()) << "of two classes";
  damaged = two;
  damaged["labels"][0]["pairs"]["rows"] = {1, 2};
  EXPECT_FALSE(Diagnostics::FromJson(damaged).ok());
}

}  // namespace
}  // namespace protium
