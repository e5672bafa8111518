// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr TargetKind kValues = TargetKind::kValues;
constexpr TargetKind kTwo = TargetKind::kTwoClasses;
constexpr TargetKind kMany = TargetKind::kClasses;

struct Row {
  std::vector<double> labels;
  std::vector<double> scores;
  double weight = 1;
  std::vector<double> levels = {};
};

MetricState MakeState(const std::vector<std::string>& names, TargetKind kind,
                      const std::vector<Row>& rows) {
  MetricState state = *MetricState::Make(names, kind);
  for (const Row& row : rows) state.Add({row.labels, row.scores, row.weight, row.levels});
  return state;
}

double Measure(const std::string& name, TargetKind kind, const std::vector<Row>& rows) {
  return MakeState({name}, kind, rows).Values()[name].get<double>();
}

TEST(Metrics, AreWhatTheirNamesSay) {
  const MetricState state =
      MakeState({"rmse", "mse", "mae", "bias"}, kValues, {{{1}, {2}}, {{5}, {2}}, {{0}, {0}, 2}});
  EXPECT_EQ(Dump(state.Values()), R"({"rmse":1.5811388300841898,"mse":2.5,"mae":1.0,"bias":-0.5})");
  EXPECT_EQ(state.rows(), 3);
}

TEST(Metrics, OfValuesFollowTheBooks) {
  const std::vector<Row> rows = {{{3}, {2.5}}, {{-0.5}, {0}}, {{2}, {2}}, {{7}, {8}}};
  EXPECT_NEAR(Measure("r2", kValues, rows), 0.9486081370449679, 1e-15);
  EXPECT_NEAR(Measure("mape", kValues, rows), (0.5 / 3 + 1 + 0 + 1.0 / 7) / 4, 1e-15);
  EXPECT_NEAR(Measure("mape", kValues, {{{0}, {5}}, {{2}, {1}}}), 0.5, 1e-15);
  EXPECT_NEAR(Measure("smape", kValues, {{{0}, {0}}, {{0}, {5}}, {{-2}, {-1}}}),
              (0 + 2 + 2.0 / 3) / 3, 1e-15);
  EXPECT_TRUE(MakeState({"r2"}, kValues, {{{1}, {2}}, {{1}, {1}}}).Values()["r2"].is_null());
}

TEST(Metrics, OfSeveralLabelsCountEachOfThem) {
  EXPECT_EQ(Measure("mae", kValues, {{{1, 10}, {2, 13}}, {{0, 0}, {0, 4}}}), 2.0);
}

TEST(Metrics, OfTwoClassesAreMeasuredOnLogits) {
  const std::vector<Row> rows = {{{1}, {0.5}}, {{0}, {-2}}, {{0}, {1000}}, {{1}, {-0.25}}};
  EXPECT_NEAR(Measure("log_loss", kTwo, rows), (0.474077 + 0.126928 + 1000 + 0.825939) / 4, 1e-5);
  EXPECT_EQ(Measure("accuracy", kTwo, rows), 0.5);
  EXPECT_EQ(Measure("precision", kTwo, rows), 0.5);
  EXPECT_EQ(Measure("recall", kTwo, rows), 0.5);
  EXPECT_NEAR(Measure("brier", kTwo, rows), (0.142537 + 0.014209 + 1 + 0.316042) / 4, 1e-5);
}

TEST(Metrics, OfManyClassesTakeTheHighestScore) {
  const std::vector<Row> rows = {
      {{0}, {2, 1, 0}}, {{1}, {0, 3, 0}}, {{2}, {5, 0, 1}}, {{2}, {0, 0, 900}}};
  EXPECT_EQ(Measure("accuracy", kMany, rows), 0.75);
  EXPECT_NEAR(Measure("balanced_accuracy", kMany, rows), (1 + 1 + 0.5) / 3, 1e-15);
  EXPECT_NEAR(Measure("f1", kMany, rows), (2.0 / 3 + 1 + 2.0 / 3) / 3, 1e-15);
  EXPECT_NEAR(Measure("log_loss", kMany, rows), (0.407606 + 0.094922 + 4.024706 + 0) / 4, 1e-5);
}

// Examples from scikit-learn's pages on roc_auc_score and average_precision_score.
TEST(Metrics, OfRankingFollowTheBooks) {
  const std::vector<Row> rows = {{{0}, {0.1}}, {{0}, {0.4}}, {{1}, {0.35}}, {{1}, {0.8}}};
  EXPECT_EQ(Measure("auc", kTwo, rows), 0.75);
  EXPECT_NEAR(Measure("pr_auc", kTwo, rows), 0.8333333333333333, 1e-15);
  EXPECT_EQ(Measure("auc", kTwo, {{{0}, {0.0}}, {{1}, {-0.0}}}), 0.5);
  EXPECT_EQ(Measure("auc", kTwo, {{{0}, {-3}, 3}, {{1}, {2}, 0.5}, {{1}, {-4}, 0.5}}), 0.5);
  EXPECT_TRUE(MakeState({"auc"}, kTwo, {{{1}, {2}}}).Values()["auc"].is_null());
}

TEST(Metrics, OfNoRowsAreNull) {
  EXPECT_EQ(Dump(MakeState({"rmse", "mae"}, kValues, {}).Values()), R"({"rmse":null,"mae":null})");
  for (const std::string& name : MetricsFor(kTwo)) {
    EXPECT_TRUE(MakeState({name}, kTwo, {}).Values()[name].is_null()) << name;
  }
}

std::vector<Row> RandomRows(TargetKind kind, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 4);
  std::vector<Row> rows(3000);
  for (Row& row : rows) {
    const bool number = kind == kValues || kind == TargetKind::kQuantiles;
    row.labels = {number ? normal(random) : double(random() % (kind == kTwo ? 2 : 4))};
    if (kind == TargetKind::kFlags) row.labels = {double(random() % 2), double(random() % 2)};
    row.scores.resize(kind == kMany ? 4 : kind == kValues || kind == kTwo ? 1 : 2);
    for (double& score : row.scores) score = std::round(normal(random) * 64) / 64;
    if (kind == TargetKind::kQuantiles) row.levels = {0.2, 0.7};
    row.weight = 0.25 * double(1 + random() % 5);
  }
  return rows;
}

TEST(Metrics, DoNotDependOnOrderOrParts) {
  std::mt19937_64 random(7);
  for (const TargetKind kind : {kValues, kTwo, kMany, TargetKind::kQuantiles, TargetKind::kFlags}) {
    std::vector<std::string> names = MetricsFor(kind);
    std::ranges::replace(names, std::string("top_k"), std::string("top_2"));
    std::ranges::replace(names, std::string("mase@k"), std::string("mase@7"));
    std::vector<Row> rows = RandomRows(kind, random);
    const MetricState all = MakeState(names, kind, rows);
    std::shuffle(rows.begin(), rows.end(), random);
    MetricState merged = *MetricState::Make(names, kind);
    for (size_t part = 0; part < 5; ++part) {
      std::vector<Row> mine;
      for (size_t i = part; i < rows.size(); i += 5) mine.push_back(rows[i]);
      ASSERT_TRUE(merged.Merge(*ParseJson(Dump(MakeState(names, kind, mine).ToJson()))).ok());
    }
    EXPECT_EQ(merged.ToJson(), all.ToJson());
    EXPECT_EQ(merged.Values(), all.Values());
    EXPECT_EQ(MetricState::FromJson(all.ToJson())->Values(), all.Values());
  }
}

// The classes are in the order of their scores, so the class of label c is the (c + 1)th most
// likely.
TEST(Metrics, TakeAnyNumberInPlaceOfK) {
  std::vector<Row> rows;
  for (int label = 0; label < 12; ++label) {
    Row& row = rows.emplace_back(Row{{double(label)}, {}});
    for (int c = 0; c < 12; ++c) row.scores.push_back(-c);
  }
  const Json values =
      MakeState({"top_1", "top_7", "top_11", "top_999999999"}, kMany, rows).Values();
  EXPECT_EQ(values["top_1"], 1.0 / 12);
  EXPECT_EQ(values["top_7"], 7.0 / 12);
  EXPECT_EQ(values["top_11"], 11.0 / 12);
  EXPECT_EQ(values["top_999999999"], 1.0);
}

TEST(Metrics, RefuseANumberThatIsNone) {
  const auto fault = [](const std::string& name) {
    return FaultOf(MetricState::Make({name}, kMany).status());
  };
  EXPECT_EQ(fault("top_k").what, "metric \"top_k\" needs a number in place of k");
  EXPECT_EQ(fault("top_k").fix, "write \"top_5\", or another number");
  for (const char* name : {"top_0", "top_05", "top_", "top_-1", "top_2.5", "top_1234567890"}) {
    EXPECT_EQ(fault(name).what, "unknown metric \"" + std::string(name) + "\"");
  }
  EXPECT_THAT(fault("top_0").fix, HasSubstr("top_k"));
}

TEST(Metrics, NameTheNearestOfAnUnknownOne) {
  const Fault fault = FaultOf(MetricState::Make({"rsme"}, kValues).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "unknown metric \"rsme\"");
  EXPECT_THAT(fault.fix, HasSubstr("\"rmse\""));
}

TEST(Metrics, KnowWhatOthersCallThem) {
  const auto fix = [](const char* name) {
    return FaultOf(MetricState::Make({name}, kTwo).status()).fix;
  };
  EXPECT_EQ(fix("roc_auc"), "did you mean \"auc\"?");
  EXPECT_EQ(fix("average_precision"), "did you mean \"pr_auc\"?");
}

TEST(Metrics, RefuseAnotherKindOfTarget) {
  const Fault fault = FaultOf(MetricState::Make({"rmse"}, kTwo).status());
  EXPECT_EQ(fault.what, "metric \"rmse\" does not fit this kind of label");
  EXPECT_THAT(fault.fix, HasSubstr("\"auc\""));
}

TEST(Metrics, RefuseToMergeOthersAndDamage) {
  MetricState state = *MetricState::Make({"rmse"}, kValues);
  EXPECT_FALSE(state.Merge(MakeState({"mae"}, kValues, {}).ToJson()).ok());
  Json negative = state.ToJson();
  negative["rows"] = -3;
  EXPECT_FALSE(state.Merge(negative).ok());
  MetricState ranked = *MetricState::Make({"auc"}, kTwo);
  for (const char* text : {"AA", "AAA=", "gICAgICAgICAgA==", "////", "?"}) {
    Json json = ranked.ToJson();
    json["metrics"][0]["state"]["ranked"] = text;
    EXPECT_FALSE(ranked.Merge(json).ok()) << text;
  }
}

}  // namespace
}  // namespace protium
