// SPDX-License-Identifier: Apache-2.0
// The order of rows within groups. Expected values are those of scikit-learn's ndcg_score for the
// gains 2^r - 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/fault.h"
#include "metrics/metrics.h"

namespace protium {
namespace {

struct JudgedRow {
  uint64_t group = 0;
  double label = 0;
  double score = 0;
  double weight = 1;
};

MetricState StateOf(const std::vector<JudgedRow>& rows, int64_t best = 10) {
  auto state = MetricState::Make({"ndcg@" + std::to_string(best)}, TargetKind::kRelevance);
  EXPECT_TRUE(state.ok()) << state.status();
  for (const JudgedRow& row : rows) {
    state->Add({.labels = {&row.label, 1},
                .scores = {&row.score, 1},
                .weight = row.weight,
                .group = row.group});
  }
  return *std::move(state);
}

Json Value(const std::vector<JudgedRow>& rows, int64_t best = 10) {
  return StateOf(rows, best).Values()["ndcg@" + std::to_string(best)];
}

const std::vector<JudgedRow> kTies = {{1, 3, 0.5}, {1, 2, 1.5},  {1, 3, 1.5},
                                      {1, 0, 2.0}, {1, 1, -1.0}, {1, 2, 0.1}};
const std::vector<JudgedRow> kConstant = {{2, 0, 1}, {2, 1, 1}, {2, 0, 1}, {2, 4, 1}};

TEST(Ndcg, IsThatOfScikitLearnAlsoWithEqualScores) {
  EXPECT_NEAR(Value(kTies, 2).get<double>(), 0.27632343373895824, 1e-15);
  EXPECT_NEAR(Value(kTies, 3).get<double>(), 0.4377846278163127, 1e-15);
  EXPECT_NEAR(Value(kTies, 10).get<double>(), 0.6979018549864986, 1e-15);
  EXPECT_NEAR(Value(kConstant, 2).get<double>(), 0.41735962717094593, 1e-15);
  EXPECT_NEAR(Value(kConstant, 3).get<double>(), 0.5453110690576979, 1e-15);
  EXPECT_NEAR(Value(kConstant, 10).get<double>(), 0.655522442242326, 1e-15);
}

TEST(Ndcg, IsTheMeanOverGroups) {
  std::vector<JudgedRow> rows = kTies;
  rows.insert(rows.end(), kConstant.begin(), kConstant.end());
  EXPECT_NEAR(Value(rows, 3).get<double>(), (0.4377846278163127 + 0.5453110690576979) / 2, 1e-15);
  // A group's weight is the mean of its rows'.
  for (JudgedRow& row : rows) row.weight = row.group == 1 ? 3 : 1;
  EXPECT_NEAR(Value(rows, 3).get<double>(), (3 * 0.4377846278163127 + 0.5453110690576979) / 4,
              1e-15);
}

TEST(Ndcg, IsOneWhereNothingCanBeOrdered) {
  EXPECT_EQ(Value({{1, 0, 1}, {1, 0, 2}}), 1.0);
  EXPECT_EQ(Value({{1, 2, 5}}), 1.0);
  EXPECT_EQ(Value({{1, 3, 1}, {1, 3, 2}}), 1.0);
  EXPECT_EQ(Value({}), Json());
}

TEST(Ndcg, HasNoValueForLabelsThatAreNoRelevance) {
  for (const double label : {-1.0, 40.0, 1.5, std::nan("")}) {
    EXPECT_EQ(Value({{1, label, 1}, {2, 1, 1}}), Json()) << label;
  }
}

TEST(Ndcg, PutsScoresThatAreNoNumbersLast) {
  const double nan = std::nan("");
  EXPECT_EQ(Value({{1, 1, nan}, {1, 2, -5}}), 1.0);
  EXPECT_LT(Value({{1, 2, nan}, {1, 1, -5}}).get<double>(), 1.0);
}

TEST(Ndcg, IsTheSameForAnyOrderAndParts) {
  std::mt19937 random(5);
  std::vector<JudgedRow> rows;
  for (int i = 0; i < 500; ++i) {
    rows.push_back({random() % 40, double(random() % 5), double(random() % 20) / 7 - 1,
                    1 + double(random() % 3)});
  }
  const MetricState whole = StateOf(rows);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(rows, random);
    const auto cut = rows.begin() + ptrdiff_t(random() % rows.size());
    MetricState state = StateOf({rows.begin(), cut});
    ASSERT_TRUE(state.Merge(StateOf({cut, rows.end()}).ToJson()).ok());
    EXPECT_EQ(state.ToJson(), whole.ToJson());
    EXPECT_EQ(state.Values(), whole.Values());
  }
}

TEST(Ndcg, RefusesADamagedState) {
  MetricState state = StateOf(kTies);
  Json json = state.ToJson();
  for (const char* text : {"!!!!", "AAAA", "abc"}) {
    json["metrics"][0]["state"]["rows"] = text;
    EXPECT_FALSE(StateOf({}).Merge(json).ok()) << text;
  }
}

TEST(Ndcg, NeedsANumberAndFitsRankingsAlone) {
  EXPECT_EQ(FaultOf(FindMetric("ndcg@k").status()).fix, "write \"ndcg@5\", or another number");
  EXPECT_TRUE(FindMetric("ndcg@3").ok());
  EXPECT_FALSE(FindMetric("ndcg").ok());
  EXPECT_FALSE(MetricState::Make({"ndcg@5"}, TargetKind::kValues).ok());
  EXPECT_FALSE(MetricState::Make({"rmse"}, TargetKind::kRelevance).ok());
  EXPECT_THAT(MetricsFor(TargetKind::kRelevance), testing::ElementsAre("ndcg@k"));
}

}  // namespace
}  // namespace protium
