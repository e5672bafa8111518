// SPDX-License-Identifier: Apache-2.0
#include "search/trial_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "search/trials.h"

namespace protium {
namespace {

using testing::HasSubstr;

Trial Measured(int64_t number, double auc, double latency) {
  return {.number = number,
          .value = auc,
          .folds = {auc},
          .measured = Json{{"auc", auc}, {"latency_us", latency}}};
}

TrialOrder AucAndLatency() {
  return {.metrics = {{"auc", {.higher_is_better = true}}, {"latency_us"}}};
}

TEST(Requirement, IsAMetricASignAndANumber) {
  const auto read = ReadRequirement(" logloss<= 3e-1 ", "search.require.0");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->metric, "logloss");
  EXPECT_EQ(read->sign, "<=");
  EXPECT_EQ(read->bound, 0.3);
  for (const char* wrong : {"", "logloss", "< 3", "logloss = 3", "logloss < three", "logloss < 3 s",
                            "logloss < inf", "logloss <", "a < b < 3"}) {
    const Fault fault = FaultOf(ReadRequirement(wrong, "search.require.0").status());
    EXPECT_EQ(fault.where, "search.require.0") << wrong;
    EXPECT_THAT(fault.what, HasSubstr("like \"latency_us < 50\"")) << wrong;
  }
}

TEST(Requirement, IsBrokenByAShareOfItsBound) {
  const auto of = [](const char* text, double value) {
    return ReadRequirement(text, "")->ViolationOf(value);
  };
  EXPECT_EQ(of("a < 50", 49), 0);
  EXPECT_DOUBLE_EQ(of("a < 50", 60), 0.2);
  EXPECT_DOUBLE_EQ(of("a >= -2", -3), 0.5);
  EXPECT_DOUBLE_EQ(of("a <= 0", 0.25), 0.25);
  EXPECT_EQ(of("a <= 50", 50), 0);
  EXPECT_GT(of("a < 50", 50), 0) << "the bound itself breaks it";
  EXPECT_TRUE(std::isinf(of("a < 50", std::nan(""))));
}

TEST(TrialOrder, NeverChoosesATrialThatBreaksWhatIsRequired) {
  TrialOrder order{.metrics = {{"auc", {.higher_is_better = true}}}};
  order.require = {*ReadRequirement("latency_us < 50", "")};
  std::vector<Trial> trials = {Measured(1, 0.9, 80), Measured(2, 0.7, 20), Measured(3, 0.8, 30),
                               Measured(4, 0.95, 60)};
  for (Trial& each : trials) order.Judge(each);
  EXPECT_EQ(BestOf(trials, order)->number, 3);
  EXPECT_EQ(trials[3].error, "latency_us is 60, and latency_us < 50 is required");
  EXPECT_FALSE(trials[1].violation.has_value());
  EXPECT_DOUBLE_EQ(order.OutcomeOf(trials[0]).violation, 0.6);
  const std::vector<Trial> broken = {trials[0], trials[3]};
  EXPECT_EQ(BestOf(broken, order), nullptr);
  EXPECT_EQ(NearestOf(broken)->number, 4);
}

TEST(TrialOrder, KeepsAFrontOfSeveralMetricsAndChoosesItsKnee) {
  TrialOrder order = AucAndLatency();
  std::vector<Trial> trials = {Measured(1, 0.9, 100), Measured(2, 0.88, 30), Measured(3, 0.85, 35),
                               Measured(4, 0.6, 10)};
  trials.push_back({.number = 5, .state = TrialState::kFailed});
  trials.push_back({.number = 6, .value = 0.99});  // Without its latency it does not count.
  const auto front = FrontOf(trials, order);
  ASSERT_EQ(front.size(), 3u);
  EXPECT_EQ(BestOf(trials, order)->number, 2);
  order.choose = Choose::kFirst;
  EXPECT_EQ(BestOf(trials, order)->number, 1);
  TrialTable table(order, {});
  for (const Trial& each : trials) table.Add(each);
  const Json json = table.ToJson();
  EXPECT_EQ(Dump(json["objectives"]), R"(["auc","latency_us"])");
  EXPECT_EQ(Dump(json["front"]), "[1,2,4]");
  EXPECT_EQ(json["trials"][1]["measured"]["latency_us"], 30.0);
  EXPECT_THAT(table.ToCsv(), HasSubstr(",error,latency_us\n1,done,0.9,"));
}

TEST(TrialOrder, RefusesWhatDoesNotMakeSense) {
  const auto where = [](const MetricNames& names, const SearchOptions& options) {
    return FaultOf(OrderOf(names, options).status()).where;
  };
  EXPECT_EQ(where({"auc", "auc"}, {}), "search.metric");
  EXPECT_EQ(where({"a", "b", "c", "d", "e"}, {}), "search.metric");
  EXPECT_EQ(where({"a", "b"}, {.target = 1}), "search.target");
  EXPECT_EQ(where({"a"}, {.require = {"b < 1", "c"}}), "search.require.1");
}

}  // namespace
}  // namespace protium
